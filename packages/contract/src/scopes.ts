const readWrite = <const N extends string>(name: N) => [`${name}:read`, `${name}:write`] as const

/** Every scope of a token. `all` includes each of them; `internal` is satisfied only by `all`. */
export const scopes = [
  'all',
  'openid',
  'internal',
  ...readWrite('account'),
  ...readWrite('addresses'),
  ...readWrite('authorization:oauth:clients'),
  'balance:read',
  ...readWrite('contacts'),
  ...readWrite('devices'),
  ...readWrite('devices:callerid'),
  'devices:credentials:read',
  ...readWrite('devices:localprefix'),
  ...readWrite('devices:sim'),
  'devices:sims:orders:write',
  ...readWrite('devices:singlerowdisplay'),
  ...readWrite('devices:tariffannouncement'),
  ...readWrite('faxlines'),
  'faxlines:numbers:read',
  'groups:read',
  'groups:devices:write',
  'groups:faxlines:read',
  'groups:numbers:read',
  'groups:users:read',
  'groups:voicemails:read',
  ...readWrite('history'),
  ...readWrite('notifications'),
  ...readWrite('numbers'),
  ...readWrite('phonelines'),
  ...readWrite('phonelines:blockanonymous'),
  ...readWrite('phonelines:busyonbusy'),
  ...readWrite('phonelines:devices'),
  ...readWrite('phonelines:forwardings'),
  'phonelines:numbers:read',
  ...readWrite('phonelines:parallelforwardings'),
  ...readWrite('phonelines:svcio'),
  'phonelines:svcio:log:read',
  ...readWrite('phonelines:voicemails'),
  ...readWrite('phonelines:voicemails:greetings'),
  ...readWrite('portings'),
  'push_device:register',
  ...readWrite('rtcm'),
  'sessions:write',
  'sessions:calls:write',
  'sessions:fax:write',
  'sessions:sms:write',
  ...readWrite('settings'),
  ...readWrite('settings:svcio'),
  ...readWrite('sms'),
  ...readWrite('sms:callerid'),
  ...readWrite('users'),
  'users:defaultdevice:write',
] as const

export type Scope = (typeof scopes)[number]

/** Scopes that a user can grant to a program. */
export const grantableScopes = scopes.filter((scope) => scope !== 'internal')

export const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word)
