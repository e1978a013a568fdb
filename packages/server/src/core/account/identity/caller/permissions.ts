import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { UserRole } from '@offhook/contract/roles.ts'
import type { Feature } from '#core/kernel/ports/store/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from './caller.ts'
import { scopeOf } from './grants.ts'

/** member: every user of the account; self: the user concerned, or an administrator; admin: administrators only. */
type Who = 'member' | 'self' | 'admin'

interface Rule {
  who: Who
  /** Roles with the same right as an administrator. */
  roles?: readonly UserRole[]
  /** Feature that the account must have booked as well. */
  feature?: Feature
  /** Whether the operator must have enabled outbound calls. */
  outbound?: true
}

/** Single source for the checks of every operation and for `/v1/restrictions`. */
export const permissions: Record<Restriction, Rule> = {
  CAN_GET_ACCOUNT: { who: 'member' },
  CAN_VERIFY_ACCOUNT: { who: 'admin' },
  CAN_GET_ACCOUNT_BALANCE: { who: 'admin', roles: ['BILLING'] },
  CAN_CHANGE_LIMITS: { who: 'admin' },
  CAN_ACCEPT_TACS: { who: 'admin' },
  CAN_GET_AUDIT: { who: 'admin' },
  CAN_MANAGE_AUDIT_STREAMS: { who: 'admin' },
  CAN_EXPORT_DATA: { who: 'self' },
  CAN_ERASE_DATA: { who: 'admin' },
  CAN_GET_ADDRESSES: { who: 'member' },
  CAN_CHANGE_ADDRESSES: { who: 'admin' },
  CAN_GET_CONTACTS: { who: 'member' },
  CAN_CHANGE_CONTACTS: { who: 'member' },
  CAN_GET_DEVICES: { who: 'self' },
  CAN_CHANGE_DEVICES: { who: 'self' },
  CAN_DELETE_DEVICES: { who: 'self' },
  CAN_CREATE_REGISTER_DEVICE: { who: 'self' },
  CAN_CREATE_MOBILE_DEVICE: { who: 'admin' },
  CAN_CREATE_EXTERNAL_DEVICE: { who: 'self' },
  CAN_CREATE_BROWSER_DEVICE: { who: 'self' },
  CAN_GET_DEVICE_CALLERID: { who: 'self', feature: 'CALLERID' },
  CAN_CHANGE_DEVICE_CALLERID: { who: 'self', feature: 'CALLERID' },
  CAN_CHANGE_TARIFF_ANNOUNCEMENT: { who: 'self', feature: 'TARIFFANNOUNCEMENT' },
  CAN_ORDER_SIM: { who: 'admin' },
  CAN_CHANGE_SIM: { who: 'admin' },
  CAN_GET_FAXLINES: { who: 'self' },
  CAN_CHANGE_FAXLINES: { who: 'self' },
  CAN_SEND_FAX: { who: 'self', feature: 'FAX' },
  CAN_GET_GROUPS: { who: 'member' },
  CAN_CHANGE_GROUPS: { who: 'admin', feature: 'GROUPS' },
  CAN_GET_HISTORY: { who: 'self' },
  CAN_CHANGE_HISTORY: { who: 'self' },
  CAN_GET_NOTIFICATIONS: { who: 'self' },
  CAN_CHANGE_NOTIFICATIONS: { who: 'self' },
  CAN_GET_NUMBERS: { who: 'self' },
  CAN_CHANGE_NUMBERS: { who: 'admin' },
  CAN_ORDER_NUMBERS: { who: 'admin' },
  CAN_CHANGE_QUICKDIAL: { who: 'admin' },
  CAN_GET_PHONELINES: { who: 'self' },
  CAN_CHANGE_PHONELINES: { who: 'self' },
  CAN_CREATE_PHONELINES: { who: 'admin' },
  CAN_DELETE_PHONELINES: { who: 'admin' },
  CAN_USE_PHONELINE_SVCIO: { who: 'self', feature: 'SVCIO' },
  CAN_GET_VOICEMAILS: { who: 'self' },
  CAN_CHANGE_VOICEMAILS: { who: 'self' },
  CAN_GET_PORTINGS: { who: 'admin' },
  CAN_CREATE_PORTINGS: { who: 'admin' },
  CAN_REVOKE_PORTINGS: { who: 'admin' },
  CAN_INITIATE_CALLS: { who: 'self' },
  CAN_CONTROL_CALLS: { who: 'member' },
  CAN_ACCOUNT_SEND_WEB_SMS: { who: 'self', feature: 'SMS' },
  CAN_GET_CALENDARS: { who: 'member' },
  CAN_CHANGE_CALENDARS: { who: 'admin' },
  CAN_BOOK: { who: 'member' },
  CAN_GET_SCHEDULES: { who: 'member' },
  CAN_CHANGE_SCHEDULES: { who: 'admin' },
  // Any member may be the last to leave and close the office.
  CAN_OVERRIDE_SCHEDULE: { who: 'member' },
  CAN_GET_SMS: { who: 'self' },
  CAN_CHANGE_SMS: { who: 'self' },
  CAN_USE_PUSH_API: { who: 'admin', roles: ['DEVELOPER'], feature: 'SVCIO' },
  CAN_MANAGE_PRIVACY: { who: 'admin' },
  CAN_GET_USERS: { who: 'self' },
  CAN_CHANGE_USERS: { who: 'self' },
  CAN_MANAGE_USERS: { who: 'admin' },
  CAN_MANAGE_ROLES: { who: 'admin' },
  CAN_CHANGE_DEFAULT_DEVICE: { who: 'self' },
  CAN_MANAGE_OAUTH_CLIENTS: { who: 'self' },
  CAN_MANAGE_TOKENS: { who: 'self' },
  CAN_MANAGE_SECOND_FACTORS: { who: 'admin' },
  CAN_GET_FLOWS: { who: 'member' },
  CAN_CHANGE_FLOWS: { who: 'admin', roles: ['DEVELOPER'] },
  CAN_USE_FLOW_OUTBOUND: { who: 'member', outbound: true },
}

interface Booked {
  features: readonly Feature[]
  outboundEnabled: boolean
}

type Refusal = 'forbidden' | 'feature_not_booked' | 'outbound_not_enabled'

/** Reason why `caller` may not do this for the user `targetId`; undefined when allowed. */
export const refusal = (restriction: Restriction, caller: UserCaller, targetId: string, booked: Booked): Refusal | undefined => {
  const { who, roles, feature, outbound } = permissions[restriction]
  if (caller.grants ? !(restriction in caller.grants) : who === 'admin' && !caller.admin && !roles?.includes(caller.role ?? 'USER'))
    return 'forbidden'
  if (who === 'self' && !caller.admin && caller.userId !== targetId) return 'forbidden'
  if (feature && !booked.features.includes(feature)) return 'feature_not_booked'
  if (outbound && !booked.outboundEnabled) return 'outbound_not_enabled'
  return undefined
}

export const bookedBy = async (store: Store, accountId: string): Promise<Booked> => {
  const [features, account] = await Promise.all([store.read.accounts.features(accountId), store.read.accounts.find(accountId)])
  return { features, outboundEnabled: account?.outboundEnabled ?? false }
}

const nothingBooked: Booked = { features: [], outboundEnabled: false }

/** Throws when `caller` may not do this for `targetId`; synchronously, unless the rule depends on booked features. */
export const demand = (store: Store, restriction: Restriction, caller: UserCaller, targetId = caller.userId): void | Promise<void> => {
  const { feature, outbound } = permissions[restriction]
  const decide = (booked: Booked): void => {
    const refused = refusal(restriction, caller, targetId, booked)
    if (refused) throw new Problem(refused)
  }
  return feature || outbound ? bookedBy(store, caller.accountId).then(decide) : decide(nothingBooked)
}

/** What the path of an operation names. */
interface Named {
  groupId?: string
  aiFlowId?: string
}

/** Throws when the scope of the caller's own role does not cover the operation. Operations that name nothing have to restrict themselves. */
export const requireInScope = (
  caller: UserCaller,
  restriction: Restriction,
  { groupId, aiFlowId }: Named,
  restrictsItself = false,
): void => {
  const scope = scopeOf(caller, restriction)
  if (!scope) return
  const covered =
    groupId !== undefined ? scope.groups.includes(groupId) : aiFlowId !== undefined ? scope.assistants.includes(aiFlowId) : restrictsItself
  if (!covered) throw new Problem('forbidden', 'This is outside the scope of your role. Ask an administrator to extend the role.')
}
