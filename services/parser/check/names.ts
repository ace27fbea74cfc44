import { rootKeys } from "../mapping/record.ts";

/** Names of the properties that the platform defines, without `#`; no other property may begin with `#`. */
const presetNames = `
  active_time app_crashed_reason app_version background_duration browser browser_version bundle_id carrier city
  country country_code data_source device_id device_level device_model device_type disk duration dw_create_time
  element_content element_id element_position element_selector element_type element_value event_duration
  first_visit_time fps install_time ip_city is_first_day is_login_id latest_referrer latest_referrer_host
  latest_scene lib lib_plugin_version lib_version manufacturer mp_platform network_type ops_receipt_properties os
  os_version province ram rank reengagement referrer referrer_host reg_time resume_from_background
  resume_remark scene screen_height screen_name screen_width server_time session_id share_depth simulator
  start_reason start_remark system_language title ua url url_path user_operation utm_campaign utm_content
  utm_medium utm_source utm_term zone_offset`;

/** Preset properties with their `#`. */
export const presets: ReadonlySet<string> = new Set(
  presetNames
    .trim()
    .split(/\s+/)
    .map((word) => `#${word}`),
);

/** Reports whether a name is a root key or a preset property of records. */
export function isRecordKey(name: string): boolean {
  return rootKeys.has(name) || presets.has(name);
}

/** Reports whether a text is a valid name of an event or a property. */
export function isName(text: string): boolean {
  return /^[A-Za-z]\w{0,49}$/.test(text);
}

export const nameRule = "names begin with a letter, then up to 49 letters, digits or _";
