import { operations } from '@offhook/contract/api/operations.ts'
import { accountHandlers } from './v1/account.ts'
import { addressHandlers } from './v1/addresses.ts'
import { appHandlers } from './v1/app.ts'
import { auditHandlers } from './v1/audit.ts'
import { authorizationHandlers } from './v1/authorization.ts'
import { balanceHandlers } from './v1/balance.ts'
import { contactHandlers } from './v1/contacts.ts'
import { deviceHandlers } from './v1/devices.ts'
import { faxlineHandlers } from './v1/faxlines.ts'
import { groupFaxlineHandlers } from './v1/groupfaxlines.ts'
import { groupHandlers } from './v1/groups.ts'
import { historyV1Handlers } from './v1/history.ts'
import { holidayHandlers } from './v1/holidays.ts'
import { indexHandlers } from './v1/index.ts'
import { notificationHandlers } from './v1/notifications.ts'
import { numberHandlers } from './v1/numbers.ts'
import { emailChangeHandlers } from './v1/emailchange.ts'
import { invitationHandlers } from './v1/invitations.ts'
import { passwordResetHandlers } from './v1/passwordreset.ts'
import { phonelineHandlers } from './v1/phonelines.ts'
import { portingHandlers } from './v1/portings.ts'
import { restrictionHandlers } from './v1/restrictions.ts'
import { routingHandlers } from './v1/routing.ts'
import { scheduleHandlers } from './v1/schedules.ts'
import { searchHandlers } from './v1/search.ts'
import { sessionHandlers } from './v1/sessions.ts'
import { settingsHandlers } from './v1/settings.ts'
import { smsHandlers } from './v1/sms.ts'
import { translationHandlers } from './v1/translations.ts'
import { userHandlers } from './v1/users.ts'
import { voicemailHandlers } from './v1/voicemails.ts'
import { callHandlers } from './v2/calls.ts'
import { faxHandlers } from './v2/faxes.ts'
import { historyHandlers } from './v2/history.ts'
import { logHandlers } from './v2/log.ts'
import { recordingHandlers } from './v2/recordings.ts'
import { timelineHandlers } from './v2/timeline.ts'
import { explanationHandlers } from './v2/explanation.ts'
import { labHandlers } from './v2/lab.ts'
import { flowHandlers } from './v3/ai-flows.ts'
import { assistantHandlers } from './v3/assistant.ts'
import { knowledgeHandlers } from './v3/knowledge.ts'
import { resultHandlers } from './v3/results.ts'
import { scenarioHandlers } from './v3/scenarios.ts'
import { deliveryHandlers } from './v3/deliveries.ts'
import { phoneHandlers } from './v3/phone.ts'
import { speechHandlers } from './v3/speech.ts'
import { talkHandlers } from './v3/talks.ts'
import { trialHandlers } from './v3/trials.ts'
import { operatorAccountHandlers } from './operator/accounts.ts'
import { operatorAddressHandlers } from './operator/addresses.ts'
import { operatorAuditHandlers } from './operator/audit.ts'
import { operatorBalanceHandlers } from './operator/balances.ts'
import { operatorCarrierHandlers } from './operator/carriers.ts'
import { operatorDeviceHandlers } from './operator/devices.ts'
import { operatorGroupHandlers } from './operator/groups.ts'
import { operatorInstallationHandlers } from './operator/installation.ts'
import { operatorMetricHandlers } from './operator/metrics.ts'
import { operatorEdgeHandlers } from './operator/edge.ts'
import { operatorNodeHandlers } from './operator/nodes.ts'
import { operatorCallHandlers } from './operator/calls.ts'
import { operatorNumberHandlers } from './operator/numbers.ts'
import { operatorStockHandlers } from './operator/stock.ts'
import { operatorOutboxHandlers } from './operator/outbox.ts'
import { operatorPortingHandlers } from './operator/portings.ts'
import { operatorSandboxHandlers } from './operator/sandbox.ts'
import { operatorSecondFactorHandlers } from './operator/secondfactor.ts'
import { operatorSessionHandlers } from './operator/session.ts'
import { operatorSimHandlers } from './operator/sims.ts'
import { operatorSmsHandlers } from './operator/sms.ts'
import { operatorTariffHandlers } from './operator/tariffs.ts'
import { operatorTrunkHandlers } from './operator/trunks.ts'
import { operatorUserHandlers } from './operator/users.ts'
import { carrierMessageHandlers } from './carrier/messages.ts'
import { loginHandlers } from './login/token.ts'
import type { Handlers } from './handler/context.ts'
import type { HandlerDeps } from './handler/handler-parts.ts'
import { mount, type Mounting } from './mount/mount.ts'

const v1Handlers = (deps: HandlerDeps) => ({
  ...accountHandlers(deps),
  ...addressHandlers(deps),
  ...appHandlers(deps),
  ...auditHandlers(deps),
  ...authorizationHandlers(deps),
  ...balanceHandlers(deps),
  ...contactHandlers(deps),
  ...deviceHandlers(deps),
  ...faxlineHandlers(deps),
  ...groupFaxlineHandlers(deps),
  ...groupHandlers(deps),
  ...historyV1Handlers(deps),
  ...holidayHandlers(),
  ...indexHandlers(deps),
  ...notificationHandlers(deps),
  ...numberHandlers(deps),
  ...emailChangeHandlers(deps),
  ...invitationHandlers(deps),
  ...passwordResetHandlers(deps),
  ...phonelineHandlers(deps),
  ...portingHandlers(deps),
  ...restrictionHandlers(deps),
  ...routingHandlers(deps),
  ...scheduleHandlers(deps),
  ...searchHandlers(deps),
  ...sessionHandlers(deps),
  ...settingsHandlers(deps),
  ...smsHandlers(deps),
  ...translationHandlers(),
  ...userHandlers(deps),
  ...voicemailHandlers(deps),
})

const v2Handlers = (deps: HandlerDeps) => ({
  ...callHandlers(deps),
  ...faxHandlers(deps),
  ...historyHandlers(deps),
  ...logHandlers(deps),
  ...recordingHandlers(deps),
  ...timelineHandlers(deps),
  ...explanationHandlers(deps),
  ...labHandlers(deps),
})

const v3Handlers = (deps: HandlerDeps) => ({
  ...flowHandlers(deps),
  ...assistantHandlers(deps),
  ...knowledgeHandlers(deps),
  ...resultHandlers(deps),
  ...scenarioHandlers(deps),
  ...deliveryHandlers(deps),
  ...phoneHandlers(deps),
  ...talkHandlers(deps),
  ...speechHandlers(deps),
  ...trialHandlers(deps),
})

const operatorHandlers = (deps: HandlerDeps) => ({
  ...operatorAccountHandlers(deps),
  ...operatorAddressHandlers(deps),
  ...operatorAuditHandlers(deps),
  ...operatorBalanceHandlers(deps),
  ...operatorCarrierHandlers(deps),
  ...operatorDeviceHandlers(deps),
  ...operatorGroupHandlers(deps),
  ...operatorInstallationHandlers(deps),
  ...operatorMetricHandlers(deps),
  ...operatorEdgeHandlers(deps),
  ...operatorNodeHandlers(deps),
  ...operatorCallHandlers(deps),
  ...operatorNumberHandlers(deps),
  ...operatorStockHandlers(deps),
  ...operatorOutboxHandlers(deps),
  ...operatorPortingHandlers(deps),
  ...operatorSandboxHandlers(deps),
  ...operatorSecondFactorHandlers(deps),
  ...operatorSessionHandlers(deps),
  ...operatorSimHandlers(deps),
  ...operatorSmsHandlers(deps),
  ...operatorTariffHandlers(deps),
  ...operatorTrunkHandlers(deps),
  ...operatorUserHandlers(deps),
})

/** The handlers of the whole contract: an operation without one does not compile. */
const allHandlers = (deps: HandlerDeps) =>
  ({
    ...v1Handlers(deps),
    ...v2Handlers(deps),
    ...v3Handlers(deps),
    ...operatorHandlers(deps),
    ...carrierMessageHandlers(deps),
    ...loginHandlers(),
  }) satisfies Handlers<typeof operations>

export const mountAll = (to: Mounting, deps: HandlerDeps): void => mount(to, operations, allHandlers(deps))
