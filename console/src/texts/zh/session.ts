import type { session as en } from "../en/session.ts";

export const session: Readonly<Record<keyof typeof en, string>> = {
  "session.title": "登录",
  "session.lead": "此服务器需要密钥。运维人员可用下面的命令创建密钥，并将其加入 auth.keys。",
  "session.key": "密钥",
  "session.key.limits": "命令输出的文本，以 engage_ 开头。它会加密保存在 Cookie 中，有效期 12 小时。",
  "session.signIn": "登录",
  "session.signOut": "退出",
  "session.as": "已登录：{name}",
  "session.readOnly": "只读",
  "session.unreachable": "无法连接服务器。请确认它正在运行后重试。",
};
