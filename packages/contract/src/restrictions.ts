/**
 * Permissions of a user by name. The rule for each name is in the server (`core/account/identity/caller/permissions.ts`) and serves both
 * the permission checks and `GET /v1/restrictions`.
 */
export const restrictions = [
  'CAN_GET_ACCOUNT',
  'CAN_VERIFY_ACCOUNT',
  'CAN_GET_ACCOUNT_BALANCE',
  'CAN_CHANGE_LIMITS',
  'CAN_ACCEPT_TACS',
  'CAN_GET_AUDIT',
  'CAN_EXPORT_DATA',
  'CAN_ERASE_DATA',
  'CAN_GET_ADDRESSES',
  'CAN_CHANGE_ADDRESSES',
  'CAN_GET_CONTACTS',
  'CAN_CHANGE_CONTACTS',
  'CAN_GET_DEVICES',
  'CAN_CHANGE_DEVICES',
  'CAN_DELETE_DEVICES',
  'CAN_CREATE_REGISTER_DEVICE',
  'CAN_CREATE_MOBILE_DEVICE',
  'CAN_CREATE_EXTERNAL_DEVICE',
  'CAN_CREATE_BROWSER_DEVICE',
  'CAN_GET_DEVICE_CALLERID',
  'CAN_CHANGE_DEVICE_CALLERID',
  'CAN_CHANGE_TARIFF_ANNOUNCEMENT',
  'CAN_ORDER_SIM',
  'CAN_CHANGE_SIM',
  'CAN_GET_FAXLINES',
  'CAN_CHANGE_FAXLINES',
  'CAN_SEND_FAX',
  'CAN_GET_GROUPS',
  'CAN_CHANGE_GROUPS',
  'CAN_GET_HISTORY',
  'CAN_CHANGE_HISTORY',
  'CAN_GET_NOTIFICATIONS',
  'CAN_CHANGE_NOTIFICATIONS',
  'CAN_GET_NUMBERS',
  'CAN_CHANGE_NUMBERS',
  'CAN_ORDER_NUMBERS',
  'CAN_CHANGE_QUICKDIAL',
  'CAN_GET_PHONELINES',
  'CAN_CHANGE_PHONELINES',
  'CAN_CREATE_PHONELINES',
  'CAN_DELETE_PHONELINES',
  'CAN_USE_PHONELINE_SVCIO',
  'CAN_GET_VOICEMAILS',
  'CAN_CHANGE_VOICEMAILS',
  'CAN_GET_PORTINGS',
  'CAN_CREATE_PORTINGS',
  'CAN_REVOKE_PORTINGS',
  'CAN_INITIATE_CALLS',
  'CAN_CONTROL_CALLS',
  'CAN_ACCOUNT_SEND_WEB_SMS',
  'CAN_GET_SCHEDULES',
  'CAN_CHANGE_SCHEDULES',
  'CAN_OVERRIDE_SCHEDULE',
  'CAN_GET_SMS',
  'CAN_CHANGE_SMS',
  'CAN_USE_PUSH_API',
  'CAN_MANAGE_PRIVACY',
  'CAN_GET_USERS',
  'CAN_CHANGE_USERS',
  'CAN_MANAGE_USERS',
  'CAN_MANAGE_ROLES',
  'CAN_CHANGE_DEFAULT_DEVICE',
  'CAN_MANAGE_OAUTH_CLIENTS',
  'CAN_MANAGE_TOKENS',
  'CAN_MANAGE_SECOND_FACTORS',
  'CAN_GET_FLOWS',
  'CAN_CHANGE_FLOWS',
  'CAN_USE_FLOW_OUTBOUND',
] as const

export type Restriction = (typeof restrictions)[number]

/** Permissions that no own role can have: with them a user could become an administrator. */
const ofAdministrators: readonly Restriction[] = ['CAN_MANAGE_ROLES', 'CAN_MANAGE_USERS', 'CAN_MANAGE_SECOND_FACTORS']

/** Permissions that an own role can have. */
export const grantablePermissions = restrictions.filter((one) => !ofAdministrators.includes(one))

/** Permissions of a role with a scope. Each of them concerns groups, lines or assistants. */
export const scopedPermissions: readonly Restriction[] = [
  'CAN_GET_HISTORY',
  'CAN_CHANGE_HISTORY',
  'CAN_CONTROL_CALLS',
  'CAN_GET_GROUPS',
  'CAN_CHANGE_GROUPS',
  'CAN_GET_FLOWS',
  'CAN_CHANGE_FLOWS',
  'CAN_USE_FLOW_OUTBOUND',
]
