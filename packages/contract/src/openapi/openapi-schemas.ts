import { HolderInput, CarrierMessage } from '../carrier/messages.ts'
import { OperatorAccount } from '../operator/accounts.ts'
import { AuditEntry } from '../audit-entry.ts'
import { Carrier } from '../operator/carriers.ts'
import { OperatorDevice } from '../operator/devices.ts'
import { MetricPoint } from '../operator/metrics.ts'
import { ClusterNode } from '../operator/nodes.ts'
import { OperatorNumber } from '../operator/numbers.ts'
import { DeadLetter } from '../operator/outbox.ts'
import { OperatorPorting } from '../operator/portings.ts'
import { SandboxTime } from '../operator/sandbox.ts'
import { SimCard } from '../operator/sims.ts'
import { SmsRoute } from '../operator/sms.ts'
import { Trunk } from '../operator/trunks.ts'
import { OperatorUser } from '../operator/users.ts'
import { Passkey } from '../passkeys.ts'
import { PushLogEntry } from '../push-log-entry.ts'
import { Account } from '../v1/account.ts'
import { Address } from '../v1/addresses.ts'
import { AppEvent } from '../v1/app.ts'
import { OauthClient, PersonalToken, TokenReply, TokenState, OpenidUserInfo, OauthGrant } from '../v1/authorization.ts'
import { Leash, LeashRules } from '../v1/authorization/leashes.ts'
import { Overflow, RoutingRule, RoutingRules } from '../v1/routing.ts'
import { OpenSpan, OpenWeek, Schedule, ScheduleState, ScheduleWish, SpecialDay } from '../v1/schedules.ts'
import { LoginSession } from '../v1/authorization/sessions.ts'
import { LedgerPage } from '../v1/balance.ts'
import { Contact, InternalContact } from '../v1/contacts.ts'
import { RegisterDevice, MobileDevice, ExternalDevice, BrowserDevice, Device, NewDevice, SimOrder } from '../v1/devices/device-values.ts'
import { Faxline } from '../v1/faxlines.ts'
import { Group, GroupSettings, NewGroup, GroupChange } from '../v1/groups.ts'
import { Invitation } from '../v1/invitations.ts'
import { Notification } from '../v1/notifications.ts'
import { NumberElement } from '../v1/numbers/number-element.ts'
import { Alias, AttachedDevice, DeviceId } from '../v1/phonelines.ts'
import { Porting } from '../v1/portings.ts'
import { AuditStream } from '../v1/audit.ts'
import { OwnRole } from '../v1/roles.ts'
import { RestrictionItem } from '../v1/restrictions.ts'
import { SmsCallerId, SmsExtension } from '../v1/sms.ts'
import { SmppLogin } from '../v1/sms/smpp-login.ts'
import { User } from '../v1/users.ts'
import {
  Voicemail,
  VoicemailChange,
  Greeting,
  GreetingWithContent,
  NewGreeting,
  GreetingChange,
} from '../v1/voicemails/voicemail-elements.ts'
import { HistoryContact, HistoryEntry, HistoryItems, HistoryChange } from '../v2/history.ts'
import { Bytes, TimelineEntry } from '../v2/timeline.ts'
import { Explanation } from '../v2/explanation.ts'
import { LabReport } from '../v2/lab.ts'
import { Delivery } from '../v3/deliveries.ts'
import { FlowHealth, FlowVersion, FlowWish, Flow } from '../v3/flow-values.ts'
import { Voice } from '../v3/speech.ts'
import { StoredScenario, TestRun } from '../v3/scenarios.ts'
import { Scenario, ScenarioReport } from '../assistant/scenario.ts'
import { Enabled, Value, AliasedId } from '../values.ts'
import { WebhookSecret, NewSecret } from '../webhook-secret.ts'

type Json = Record<string, unknown>

/** Collects the shapes of an interface: every object gets a name, equal shapes the same one, so that generated clients have names, too. */
export class NamedSchemas {
  /** Keyed by serialised shape. */
  readonly #names = shapeNames()
  readonly #found = new Map<string, Json>()

  /** A reference to the shape, named `name` unless it already has a name. Other types stay inline. */
  refer(schema: object, name: string): Json {
    const text = JSON.stringify(schema)
    const known = this.#names.get(text)
    if (known === undefined && !isObject(schema)) return this.#namedInside(schema, name)
    const own = known ?? this.#unused(name)
    if (!this.#found.has(own)) {
      this.#names.set(text, own)
      this.#found.set(own, {}) // reserves the place, so that names are in the order of first use
      this.#found.set(own, this.#namedInside(schema, own))
    }
    return { $ref: `#/components/schemas/${own}` }
  }

  /** Like `refer` for the request or reply of an operation: named after the operation, even if another one has the same shape. */
  referWhole(schema: object, name: string): Json {
    if (this.#names.has(JSON.stringify(schema)) || !isObject(schema)) return this.refer(schema, name)
    const own = this.#listName(schema) ?? this.#unused(name)
    if (!this.#found.has(own)) this.#found.set(own, this.#namedInside(schema, own))
    return { $ref: `#/components/schemas/${own}` }
  }

  all(): Json {
    return Object.fromEntries([...this.#found].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  #namedInside(schema: object, name: string): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#part(key, value, name)]))
  }

  #part(key: string, value: unknown, name: string): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (key === 'properties' || key === 'patternProperties')
      return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.refer(inner as object, name + pascal(field))]))
    if (key === 'items') return this.refer(value, singular(name))
    if (key === 'anyOf') return (value as object[]).map((one, index) => this.refer(one, name + (variant(one) ?? String(index + 1))))
    return value
  }

  /** `{ items: [PhoneNumber] }` → PhoneNumberList */
  #listName(schema: object): string | undefined {
    const {
      items,
      totalCount: _,
      ...others
    } = ('properties' in schema ? schema.properties : {}) as { items?: { items?: object }; totalCount?: object }
    const element = items?.items && this.#names.get(JSON.stringify(items.items))
    return element === undefined || Object.keys(others).length > 0 ? undefined : `${element}List`
  }

  #unused(name: string): string {
    let own = name
    for (let count = 2; this.#found.has(own); count++) own = `${name}${count}`
    return own
  }
}

const isObject = (schema: object): boolean =>
  'properties' in schema && typeof schema.properties === 'object' && Object.keys(schema.properties ?? {}).length > 0

/** The distinguishing literal of a variant: `{ kind: 'speech' }` → Speech. */
const variant = (schema: object): string | undefined => {
  const properties = Object.values(
    ('properties' in schema ? schema.properties : {}) as Record<string, { const?: unknown; enum?: unknown[] }>,
  )
  const word = properties.flatMap(({ const: only, enum: words = [] }) => only ?? (words.length === 1 ? words : [])).at(0)
  return typeof word === 'string' ? pascal(word.toLowerCase()) : undefined
}

export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch)es$/, '$1')
    .replace(/([^s])s$/, '$1')

/** Names of shapes in the interface description, and so in generated clients. Others are named after their operation. */
const shapes = {
  Account,
  Address,
  AliasBody: Alias,
  AliasedId,
  AppEvent,
  AttachedDevice,
  AuditEntry,
  Carrier,
  CarrierMessage,
  ClusterNode,
  Contact,
  DeadLetter,
  Delivery,
  Device,
  DeviceIdBody: DeviceId,
  Enabled,
  Explanation,
  BrowserDevice,
  ExternalDevice,
  Faxline,
  Flow,
  FlowHealth,
  FlowSettings: FlowWish,
  FlowVersion,
  Greeting,
  GreetingChange,
  GreetingWithContent,
  Group,
  GroupChange,
  GroupSettings,
  HistoryChange,
  HistoryContact,
  HistoryEntry,
  HistoryItems,
  Holder: HolderInput,
  InternalContact,
  Invitation,
  AuditStream,
  OwnRole,
  LabReport,
  Leash,
  LeashRules,
  LedgerPage,
  LoginSession,
  MetricPoint,
  MobileDevice,
  NewDevice,
  NewGreeting,
  NewGroup,
  NewWebhookSecret: NewSecret,
  Notification,
  OauthClient,
  OauthGrant,
  OpenidUserInfo,
  OperatorAccount,
  OperatorDevice,
  OperatorNumber,
  OperatorPorting,
  OperatorUser,
  Passkey,
  PersonalToken,
  PhoneNumber: NumberElement,
  Porting,
  PushLogEntry,
  RecordedBytes: Bytes,
  RegisterDevice,
  Restriction: RestrictionItem,
  SandboxTime,
  OpenSpan,
  OpenWeek,
  Overflow,
  RoutingRule,
  RoutingRules,
  Scenario,
  ScenarioReport,
  Schedule,
  ScheduleState,
  ScheduleWish,
  SpecialDay,
  SimCard,
  SimOrder,
  SmppLogin,
  SmsCallerId,
  SmsExtension,
  SmsRoute,
  StoredScenario,
  TestRun,
  TimelineEntry,
  TokenReply,
  TokenState,
  Trunk,
  User,
  Value,
  Voice,
  Voicemail,
  VoicemailChange,
  WebhookSecret,
}

/** Keyed by serialised shape, because a nested shape may be a copy. */
const shapeNames = (): Map<string, string> => new Map(Object.entries(shapes).map(([name, shape]) => [JSON.stringify(shape), name]))
