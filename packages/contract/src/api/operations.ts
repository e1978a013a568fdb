import type { Operation } from '../operation.ts'
import { accountOperations } from '../v1/account.ts'
import { addressOperations } from '../v1/addresses.ts'
import { appOperations } from '../v1/app.ts'
import { auditOperations } from '../v1/audit.ts'
import { authorizationOperations } from '../v1/authorization.ts'
import { balanceOperations } from '../v1/balance.ts'
import { contactOperations } from '../v1/contacts.ts'
import { deviceOperations } from '../v1/devices.ts'
import { emailChangeOperations } from '../v1/emailchange.ts'
import { faxlineOperations } from '../v1/faxlines.ts'
import { groupFaxlineOperations } from '../v1/groupfaxlines.ts'
import { groupOperations } from '../v1/groups.ts'
import { holidayOperations } from '../v1/holidays.ts'
import { historyV1Operations } from '../v1/history.ts'
import { indexOperations } from '../v1/index.ts'
import { invitationOperations } from '../v1/invitations.ts'
import { singleSignOnOperations } from '../v1/singlesignon.ts'
import { notificationOperations } from '../v1/notifications.ts'
import { numberOperations } from '../v1/numbers.ts'
import { passwordResetOperations } from '../v1/passwordreset.ts'
import { phonelineOperations } from '../v1/phonelines.ts'
import { portingOperations } from '../v1/portings.ts'
import { privacyOperations } from '../v1/privacy.ts'
import { routingOperations } from '../v1/routing.ts'
import { roleOperations } from '../v1/roles.ts'
import { scheduleOperations } from '../v1/schedules.ts'
import { restrictionOperations } from '../v1/restrictions.ts'
import { searchOperations } from '../v1/search.ts'
import { sessionOperations } from '../v1/sessions.ts'
import { settingsOperations } from '../v1/settings.ts'
import { smsOperations } from '../v1/sms.ts'
import { translationOperations } from '../v1/translations.ts'
import { userOperations } from '../v1/users.ts'
import { voicemailOperations } from '../v1/voicemails.ts'
import { callOperations } from '../v2/calls.ts'
import { contactV2Operations } from '../v2/contacts.ts'
import { faxOperations } from '../v2/faxes.ts'
import { historyOperations } from '../v2/history.ts'
import { logOperations } from '../v2/log.ts'
import { recordingOperations } from '../v2/recordings.ts'
import { timelineOperations } from '../v2/timeline.ts'
import { explanationOperations } from '../v2/explanation.ts'
import { labOperations } from '../v2/lab.ts'
import { flowOperations } from '../v3/ai-flows.ts'
import { assistantOperations } from '../v3/assistant.ts'
import { calendarOperations } from '../v3/calendars.ts'
import { deliveryOperations } from '../v3/deliveries.ts'
import { knowledgeOperations } from '../v3/knowledge.ts'
import { phoneOperations } from '../v3/phone.ts'
import { resultOperations } from '../v3/results.ts'
import { scenarioOperations } from '../v3/scenarios.ts'
import { speechOperations } from '../v3/speech.ts'
import { talkOperations } from '../v3/talks.ts'
import { trialOperations } from '../v3/trials.ts'
import { operatorAccountOperations } from '../operator/accounts.ts'
import { operatorAddressOperations } from '../operator/addresses.ts'
import { operatorAuditOperations } from '../operator/audit.ts'
import { operatorBalanceOperations } from '../operator/balances.ts'
import { operatorCarrierOperations } from '../operator/carriers.ts'
import { operatorDeviceOperations } from '../operator/devices.ts'
import { operatorGroupOperations } from '../operator/groups.ts'
import { operatorInstallationOperations } from '../operator/installation.ts'
import { operatorMetricOperations } from '../operator/metrics.ts'
import { operatorEdgeOperations } from '../operator/edge.ts'
import { operatorNodeOperations } from '../operator/nodes.ts'
import { operatorCallOperations } from '../operator/calls.ts'
import { operatorNumberOperations } from '../operator/numbers.ts'
import { operatorStockOperations } from '../operator/stock.ts'
import { operatorOutboxOperations } from '../operator/outbox.ts'
import { operatorJobOperations } from '../operator/jobs.ts'
import { operatorPortingOperations } from '../operator/portings.ts'
import { operatorPrivacyOperations } from '../operator/privacy.ts'
import { operatorSandboxOperations } from '../operator/sandbox.ts'
import { operatorSecondFactorOperations } from '../operator/secondfactor.ts'
import { operatorSessionOperations } from '../operator/session.ts'
import { operatorSimOperations } from '../operator/sims.ts'
import { operatorSmsOperations } from '../operator/sms.ts'
import { operatorTariffOperations } from '../operator/tariffs.ts'
import { operatorTrunkOperations } from '../operator/trunks.ts'
import { operatorUserOperations } from '../operator/users.ts'
import { carrierMessageOperations } from '../carrier/messages.ts'
import { loginOperations } from '../login/token.ts'

/** Every operation of the service, by name. */
export const operations = {
  ...accountOperations,
  ...addressOperations,
  ...appOperations,
  ...auditOperations,
  ...authorizationOperations,
  ...balanceOperations,
  ...contactOperations,
  ...deviceOperations,
  ...emailChangeOperations,
  ...faxlineOperations,
  ...groupFaxlineOperations,
  ...groupOperations,
  ...historyV1Operations,
  ...holidayOperations,
  ...indexOperations,
  ...invitationOperations,
  ...notificationOperations,
  ...numberOperations,
  ...passwordResetOperations,
  ...phonelineOperations,
  ...portingOperations,
  ...privacyOperations,
  ...restrictionOperations,
  ...routingOperations,
  ...roleOperations,
  ...scheduleOperations,
  ...searchOperations,
  ...sessionOperations,
  ...settingsOperations,
  ...singleSignOnOperations,
  ...smsOperations,
  ...translationOperations,
  ...userOperations,
  ...voicemailOperations,
  ...callOperations,
  ...contactV2Operations,
  ...faxOperations,
  ...historyOperations,
  ...logOperations,
  ...recordingOperations,
  ...timelineOperations,
  ...explanationOperations,
  ...labOperations,
  ...flowOperations,
  ...assistantOperations,
  ...calendarOperations,
  ...knowledgeOperations,
  ...phoneOperations,
  ...resultOperations,
  ...scenarioOperations,
  ...deliveryOperations,
  ...speechOperations,
  ...talkOperations,
  ...trialOperations,
  ...operatorAccountOperations,
  ...operatorAddressOperations,
  ...operatorAuditOperations,
  ...operatorBalanceOperations,
  ...operatorCarrierOperations,
  ...operatorDeviceOperations,
  ...operatorGroupOperations,
  ...operatorInstallationOperations,
  ...operatorMetricOperations,
  ...operatorEdgeOperations,
  ...operatorNodeOperations,
  ...operatorCallOperations,
  ...operatorNumberOperations,
  ...operatorStockOperations,
  ...operatorOutboxOperations,
  ...operatorJobOperations,
  ...operatorPortingOperations,
  ...operatorPrivacyOperations,
  ...operatorSandboxOperations,
  ...operatorSecondFactorOperations,
  ...operatorSessionOperations,
  ...operatorSimOperations,
  ...operatorSmsOperations,
  ...operatorTariffOperations,
  ...operatorTrunkOperations,
  ...operatorUserOperations,
  ...carrierMessageOperations,
  ...loginOperations,
} satisfies Record<string, Operation>
