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

/** What shapes are called in the description of the interface, and so in clients that are generated from it. Others are called after their operation. */
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

/** By the text of a shape, because what is part of another shape may be a copy. */
export const shapeNames = (): Map<string, string> => new Map(Object.entries(shapes).map(([name, shape]) => [JSON.stringify(shape), name]))
