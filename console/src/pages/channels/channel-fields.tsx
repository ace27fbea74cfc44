import { useEffect } from "preact/hooks";
import { Catalog } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import {
  ChannelAuthenticationSchema,
  ChannelSchema,
  CustomHeaderSchema,
  CustomParameterSchema,
  DeliverySettingsSchema,
  FunnelSettingSchema,
} from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { Card } from "../../controls/card.tsx";
import { Checkbox } from "../../controls/checkbox.tsx";
import { Select } from "../../controls/field.tsx";
import { type Draft, setValue } from "../../form/draft.ts";
import { faultsOf } from "../../form/faults.ts";
import { FieldControl, type FormPart, MessageFields, partOf } from "../../form/field-control.tsx";
import { ListControl } from "../../form/list-control.tsx";
import { labelOf } from "../../form/say.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { newField, newFunnel, newHeader, newParameter, newSignature } from "./channel-draft.ts";
import { TemplateField } from "./template-field.tsx";

const { field: fields } = ChannelSchema;

/** All fields of a channel, in the parts in which their reader thinks of them. */
export function ChannelFields(part: FormPart) {
  return (
    <>
      <Card title={t("channels.receiver")} isPadded>
        <div class="form-fields">
          <FieldControl field={fields.name} {...part} />
          <ProjectControl {...part} />
          <FieldControl field={fields.url} {...part} />
          <FieldControl field={fields.pushIdProperty} {...part} />
        </div>
      </Card>
      <Card title={t("channels.signature")} isPadded>
        <Signature {...part} />
      </Card>
      <Card title={t("channels.headers")} isPadded>
        <ListControl field={fields.customHeaders} initial={newHeader} {...part}>
          {(entry) => (
            <div class="form-fields">
              <FieldControl field={CustomHeaderSchema.field.name} {...entry} />
              <FieldControl
                field={CustomHeaderSchema.field.value}
                isStored={entry.draft["valueIsSet"] === true}
                {...entry}
              />
            </div>
          )}
        </ListControl>
      </Card>
      <Card title={t("channels.template")} isPadded>
        <ListControl field={fields.contentTemplate} initial={newField} {...part}>
          {(entry) => <TemplateField {...entry} />}
        </ListControl>
      </Card>
      <Card title={t("channels.parameters")} isPadded>
        <ListControl field={fields.customParameters} initial={newParameter} {...part}>
          {(entry) => <MessageFields fields={CustomParameterSchema.fields} {...entry} />}
        </ListControl>
      </Card>
      <Card title={t("channels.delivery")} isPadded>
        <MessageFields
          fields={DeliverySettingsSchema.fields}
          {...partOf(part, fields.delivery, faultsOf(part.faults, "delivery"))}
        />
      </Card>
      <Card title={t("channels.funnel")} isPadded>
        <Funnel {...part} />
      </Card>
    </>
  );
}

/** The projects that the caller can query; where they are unknown, a field for the id. */
function ProjectControl(part: FormPart) {
  const { draft, onChange } = part;
  const { data, fault } = useLoaded("projects", (signal) => clientOf(Catalog).listProjects({}, { signal }));
  const chosen = String(draft["projectId"] ?? "0");
  const first = data?.projects[0]?.projectId;
  // A new channel begins with the first project.
  useEffect(() => {
    if (chosen === "0" && first !== undefined) onChange(setValue("projectId", String(first)));
  }, [first]);
  if (data === undefined && fault === undefined) return null;
  const ids = (data?.projects ?? []).map(({ projectId }) => String(projectId));
  if (ids.length === 0) return <FieldControl field={fields.projectId} {...part} />;
  const known = ids.includes(chosen) || chosen === "0" ? ids : [chosen, ...ids];
  return (
    <Select
      label={labelOf(fields.projectId)}
      value={chosen}
      options={known.map((id) => ({ value: id, text: id }))}
      onChange={(id) => onChange(setValue("projectId", id))}
    />
  );
}

function Signature(part: FormPart) {
  const signature = part.draft["authentication"] as Draft | undefined;
  const inside = partOf(part, fields.authentication, faultsOf(part.faults, "authentication"));
  return (
    <div class="stack">
      <Checkbox
        label={t("channels.sign")}
        hint={t("channels.sign.hint")}
        isChecked={signature !== undefined}
        onChange={(isSigned) =>
          part.onChange(setValue("authentication", isSigned ? newSignature : undefined))
        }
      />
      {signature !== undefined && (
        <div class="form-fields">
          <FieldControl
            field={ChannelAuthenticationSchema.field.secret}
            isStored={signature["secretIsSet"] === true}
            {...inside}
          />
          <FieldControl field={ChannelAuthenticationSchema.field.headerName} {...inside} />
        </div>
      )}
    </div>
  );
}

function Funnel(part: FormPart) {
  const funnel = part.draft["funnel"] as Draft | undefined;
  return (
    <div class="stack">
      <Checkbox
        label={t("channels.funnel.on")}
        hint={t("channels.funnel.hint")}
        isChecked={funnel !== undefined}
        onChange={(isOn) => part.onChange(setValue("funnel", isOn ? newFunnel : undefined))}
      />
      {funnel !== undefined && (
        <MessageFields
          fields={FunnelSettingSchema.fields}
          {...partOf(part, fields.funnel, faultsOf(part.faults, "funnel"))}
        />
      )}
    </div>
  );
}
