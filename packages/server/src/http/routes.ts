import { accountOperations } from '@offhook/contract/v1/account.ts'
import { addressOperations } from '@offhook/contract/v1/addresses.ts'
import { appOperations } from '@offhook/contract/v1/app.ts'
import { auditOperations } from '@offhook/contract/v1/audit.ts'
import { authorizationOperations } from '@offhook/contract/v1/authorization.ts'
import { balanceOperations } from '@offhook/contract/v1/balance.ts'
import { contactOperations } from '@offhook/contract/v1/contacts.ts'
import { deviceOperations } from '@offhook/contract/v1/devices.ts'
import { faxlineOperations } from '@offhook/contract/v1/faxlines.ts'
import { groupFaxlineOperations } from '@offhook/contract/v1/groupfaxlines.ts'
import { groupOperations } from '@offhook/contract/v1/groups.ts'
import { historyV1Operations } from '@offhook/contract/v1/history.ts'
import { indexOperations } from '@offhook/contract/v1/index.ts'
import { notificationOperations } from '@offhook/contract/v1/notifications.ts'
import { numberOperations } from '@offhook/contract/v1/numbers.ts'
import { passwordResetOperations } from '@offhook/contract/v1/passwordreset.ts'
import { phonelineOperations } from '@offhook/contract/v1/phonelines.ts'
import { portingOperations } from '@offhook/contract/v1/portings.ts'
import { restrictionOperations } from '@offhook/contract/v1/restrictions.ts'
import { sessionOperations } from '@offhook/contract/v1/sessions.ts'
import { settingsOperations } from '@offhook/contract/v1/settings.ts'
import { smsOperations } from '@offhook/contract/v1/sms.ts'
import { translationOperations } from '@offhook/contract/v1/translations.ts'
import { userOperations } from '@offhook/contract/v1/users.ts'
import { voicemailOperations } from '@offhook/contract/v1/voicemails.ts'
import { callOperations } from '@offhook/contract/v2/calls.ts'
import { faxOperations } from '@offhook/contract/v2/faxes.ts'
import { historyOperations } from '@offhook/contract/v2/history.ts'
import { logOperations } from '@offhook/contract/v2/log.ts'
import { recordingOperations } from '@offhook/contract/v2/recordings.ts'
import { timelineOperations } from '@offhook/contract/v2/timeline.ts'
import { flowOperations } from '@offhook/contract/v3/ai-flows.ts'
import { deliveryOperations } from '@offhook/contract/v3/deliveries.ts'
import { talkOperations } from '@offhook/contract/v3/talks.ts'
import { trialOperations } from '@offhook/contract/v3/trials.ts'
import { operatorAccountOperations } from '@offhook/contract/operator/accounts.ts'
import { operatorAddressOperations } from '@offhook/contract/operator/addresses.ts'
import { operatorAuditOperations } from '@offhook/contract/operator/audit.ts'
import { operatorBalanceOperations } from '@offhook/contract/operator/balances.ts'
import { operatorCarrierOperations } from '@offhook/contract/operator/carriers.ts'
import { operatorDeviceOperations } from '@offhook/contract/operator/devices.ts'
import { operatorGroupOperations } from '@offhook/contract/operator/groups.ts'
import { operatorInstallationOperations } from '@offhook/contract/operator/installation.ts'
import { operatorMetricOperations } from '@offhook/contract/operator/metrics.ts'
import { operatorNodeOperations } from '@offhook/contract/operator/nodes.ts'
import { operatorNumberOperations } from '@offhook/contract/operator/numbers.ts'
import { operatorOutboxOperations } from '@offhook/contract/operator/outbox.ts'
import { operatorPortingOperations } from '@offhook/contract/operator/portings.ts'
import { operatorSandboxOperations } from '@offhook/contract/operator/sandbox.ts'
import { operatorSecondFactorOperations } from '@offhook/contract/operator/secondfactor.ts'
import { operatorSessionOperations } from '@offhook/contract/operator/session.ts'
import { operatorSimOperations } from '@offhook/contract/operator/sims.ts'
import { operatorSmsOperations } from '@offhook/contract/operator/sms.ts'
import { operatorTariffOperations } from '@offhook/contract/operator/tariffs.ts'
import { operatorTrunkOperations } from '@offhook/contract/operator/trunks.ts'
import { operatorUserOperations } from '@offhook/contract/operator/users.ts'
import { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { loginOperations } from '@offhook/contract/login/token.ts'
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
import { indexHandlers } from './v1/index.ts'
import { notificationHandlers } from './v1/notifications.ts'
import { numberHandlers } from './v1/numbers.ts'
import { passwordResetHandlers } from './v1/passwordreset.ts'
import { phonelineHandlers } from './v1/phonelines.ts'
import { portingHandlers } from './v1/portings.ts'
import { restrictionHandlers } from './v1/restrictions.ts'
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
import { flowHandlers } from './v3/ai-flows.ts'
import { deliveryHandlers } from './v3/deliveries.ts'
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
import { operatorNodeHandlers } from './operator/nodes.ts'
import { operatorNumberHandlers } from './operator/numbers.ts'
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
import { mount, type Mounting } from './mount/mount.ts'
import type { Parts } from './handler/parts.ts'

/** Each area of the interface with its handlers: the file names are the same on both sides. */
export const mountAll = (to: Mounting, parts: Parts): void => {
  mount(to, accountOperations, accountHandlers(parts))
  mount(to, addressOperations, addressHandlers(parts))
  mount(to, appOperations, appHandlers(parts))
  mount(to, auditOperations, auditHandlers(parts))
  mount(to, authorizationOperations, authorizationHandlers(parts))
  mount(to, balanceOperations, balanceHandlers(parts))
  mount(to, contactOperations, contactHandlers(parts))
  mount(to, deviceOperations, deviceHandlers(parts))
  mount(to, faxlineOperations, faxlineHandlers(parts))
  mount(to, groupFaxlineOperations, groupFaxlineHandlers(parts))
  mount(to, groupOperations, groupHandlers(parts))
  mount(to, historyV1Operations, historyV1Handlers(parts))
  mount(to, indexOperations, indexHandlers(parts))
  mount(to, notificationOperations, notificationHandlers(parts))
  mount(to, numberOperations, numberHandlers(parts))
  mount(to, passwordResetOperations, passwordResetHandlers(parts))
  mount(to, phonelineOperations, phonelineHandlers(parts))
  mount(to, portingOperations, portingHandlers(parts))
  mount(to, restrictionOperations, restrictionHandlers(parts))
  mount(to, sessionOperations, sessionHandlers(parts))
  mount(to, settingsOperations, settingsHandlers(parts))
  mount(to, smsOperations, smsHandlers(parts))
  mount(to, translationOperations, translationHandlers(parts))
  mount(to, userOperations, userHandlers(parts))
  mount(to, voicemailOperations, voicemailHandlers(parts))
  mount(to, callOperations, callHandlers(parts))
  mount(to, faxOperations, faxHandlers(parts))
  mount(to, historyOperations, historyHandlers(parts))
  mount(to, logOperations, logHandlers(parts))
  mount(to, recordingOperations, recordingHandlers(parts))
  mount(to, timelineOperations, timelineHandlers(parts))
  mount(to, flowOperations, flowHandlers(parts))
  mount(to, deliveryOperations, deliveryHandlers(parts))
  mount(to, talkOperations, talkHandlers(parts))
  mount(to, trialOperations, trialHandlers(parts))
  mount(to, operatorAccountOperations, operatorAccountHandlers(parts))
  mount(to, operatorAddressOperations, operatorAddressHandlers(parts))
  mount(to, operatorAuditOperations, operatorAuditHandlers(parts))
  mount(to, operatorBalanceOperations, operatorBalanceHandlers(parts))
  mount(to, operatorCarrierOperations, operatorCarrierHandlers(parts))
  mount(to, operatorDeviceOperations, operatorDeviceHandlers(parts))
  mount(to, operatorGroupOperations, operatorGroupHandlers(parts))
  mount(to, operatorInstallationOperations, operatorInstallationHandlers(parts))
  mount(to, operatorMetricOperations, operatorMetricHandlers(parts))
  mount(to, operatorNodeOperations, operatorNodeHandlers(parts))
  mount(to, operatorNumberOperations, operatorNumberHandlers(parts))
  mount(to, operatorOutboxOperations, operatorOutboxHandlers(parts))
  mount(to, operatorPortingOperations, operatorPortingHandlers(parts))
  mount(to, operatorSandboxOperations, operatorSandboxHandlers(parts))
  mount(to, operatorSecondFactorOperations, operatorSecondFactorHandlers(parts))
  mount(to, operatorSessionOperations, operatorSessionHandlers(parts))
  mount(to, operatorSimOperations, operatorSimHandlers(parts))
  mount(to, operatorSmsOperations, operatorSmsHandlers(parts))
  mount(to, operatorTariffOperations, operatorTariffHandlers(parts))
  mount(to, operatorTrunkOperations, operatorTrunkHandlers(parts))
  mount(to, operatorUserOperations, operatorUserHandlers(parts))
  mount(to, carrierMessageOperations, carrierMessageHandlers(parts))
  mount(to, loginOperations, loginHandlers(parts))
}
