import { operations } from '@offhook/contract/api/operations.ts'
import { accountHandlers } from './v1/account.ts'
import { addressHandlers } from './v1/addresses.ts'
import { appHandlers } from './v1/app.ts'
import { authorizationHandlers } from './v1/authorization.ts'
import { balanceHandlers } from './v1/balance.ts'
import { contactHandlers } from './v1/contacts.ts'
import { deviceHandlers } from './v1/devices.ts'
import { faxlineHandlers } from './v1/faxlines.ts'
import { groupFaxlineHandlers } from './v1/groupfaxlines.ts'
import { groupHandlers } from './v1/groups.ts'
import { indexHandlers } from './v1/index.ts'
import { notificationHandlers } from './v1/notifications.ts'
import { numberHandlers } from './v1/numbers.ts'
import { invitationHandlers } from './v1/invitations.ts'
import { phonelineHandlers } from './v1/phonelines.ts'
import { portingHandlers } from './v1/portings.ts'
import { privacyHandlers } from './v1/privacy.ts'
import { routingHandlers } from './v1/routing.ts'
import { auditStreamHandlers } from './v1/audit.ts'
import { roleHandlers } from './v1/roles.ts'
import { calendarHandlers } from './v3/calendars.ts'
import { scheduleHandlers } from './v1/schedules.ts'
import { sessionHandlers } from './v1/sessions.ts'
import { settingsHandlers } from './v1/settings.ts'
import { singleSignOnHandlers } from './v1/singlesignon.ts'
import { smsHandlers } from './v1/sms.ts'
import { userHandlers } from './v1/users.ts'
import { voicemailHandlers } from './v1/voicemails.ts'
import { callHandlers } from './v2/calls.ts'
import { contactV2Handlers } from './v2/contacts.ts'
import { faxHandlers } from './v2/faxes.ts'
import { historyHandlers, changeEntries, getEntry, historyFilter, readPage, removeEntries, toPage, type HistoryDeps } from './v2/history.ts'
import { logHandlers } from './v2/log.ts'
import { recordingHandlers } from './v2/recordings.ts'
import { timelineHandlers } from './v2/timeline.ts'
import { explanationHandlers } from './v2/explanation.ts'
import { flowHandlers } from './v3/ai-flows.ts'
import { assistantHandlers } from './v3/assistant.ts'
import { knowledgeHandlers } from './v3/knowledge.ts'
import { resultHandlers } from './v3/results.ts'
import { scenarioHandlers } from './v3/scenarios.ts'
import { deliveryHandlers } from './v3/deliveries.ts'
import { speechHandlers } from './v3/speech.ts'
import { talkHandlers } from './v3/talks.ts'
import { trialHandlers } from './v3/trials.ts'
import { operatorAccountHandlers } from './operator/accounts.ts'
import { operatorAddressHandlers } from './operator/addresses.ts'
import { operatorBalanceHandlers } from './operator/balances.ts'
import { operatorCarrierHandlers } from './operator/carriers.ts'
import { operatorDeviceHandlers } from './operator/devices.ts'
import { operatorGroupHandlers } from './operator/groups.ts'
import { operatorInstallationHandlers } from './operator/installation.ts'
import { operatorMetricHandlers } from './operator/metrics.ts'
import { operatorNodeHandlers } from './operator/nodes.ts'
import { operatorCallHandlers } from './operator/calls.ts'
import { operatorNumberHandlers } from './operator/numbers.ts'
import { operatorStockHandlers } from './operator/stock.ts'
import { operatorOutboxHandlers } from './operator/outbox.ts'
import { operatorJobHandlers } from './operator/jobs.ts'
import { operatorPortingHandlers } from './operator/portings.ts'
import { operatorPrivacyHandlers } from './operator/privacy.ts'
import { operatorSandboxHandlers } from './operator/sandbox.ts'
import { operatorSecondFactorHandlers } from './operator/secondfactor.ts'
import { operatorSessionHandlers } from './operator/session.ts'
import { operatorSimHandlers } from './operator/sims.ts'
import { operatorTariffHandlers } from './operator/tariffs.ts'
import { operatorTrunkHandlers } from './operator/trunks.ts'
import { operatorUserHandlers } from './operator/users.ts'
import type { Handlers } from './handler/context.ts'
import type { HandlerDeps } from './handler/handler-deps.ts'
import { mount, type Mounting } from './mount/mount.ts'
import type { loginOperations } from '@offhook/contract/login/token.ts'
import type { holidayOperations } from '@offhook/contract/v1/holidays.ts'
import { holidaysOf } from '#core/account/schedules/holidays.ts'
import type { emailChangeOperations } from '@offhook/contract/v1/emailchange.ts'
import { confirmEmailChange } from '#core/account/accounts/email-change.ts'
import type { restrictionOperations } from '@offhook/contract/v1/restrictions.ts'
import { listRestrictions } from '#core/account/identity/caller/restrictions.ts'
import type { auditOperations } from '@offhook/contract/v1/audit.ts'
import { latestEntries, auditByUser } from '#core/kernel/audit/audit.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { translationOperations } from '@offhook/contract/v1/translations.ts'
import { translations } from '#core/kernel/translations/index.ts'
import type { searchOperations } from '@offhook/contract/v1/search.ts'
import { readSearch } from '#core/account/contacts/typed-search.ts'
import { accountCountryOf } from '#core/account/lines/destination.ts'
import { readLong } from '#core/account/long-reads/long-reads.ts'
import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { receiveMessage } from '#core/account/portings/receive.ts'
import { portingContext } from './handler/porting-context.ts'
import type { labOperations } from '@offhook/contract/v2/lab.ts'
import { runLab } from '#core/assistant/lab/run-lab.ts'
import type { phoneOperations } from '@offhook/contract/v3/phone.ts'
import type { historyV1Operations } from '@offhook/contract/v1/history.ts'
import type { operatorEdgeOperations } from '@offhook/contract/operator/edge.ts'
import { carriersFile, processesFile } from '#core/operate/nodes/edge-files.ts'
import { maxSilenceMs } from '#core/operate/nodes/node-state.ts'
import type { operatorSmsOperations } from '@offhook/contract/operator/sms.ts'
import type { operatorAuditOperations } from '@offhook/contract/operator/audit.ts'
import { verifyAudit } from '#core/kernel/audit/audit-hash.ts'
import type { passwordResetOperations } from '@offhook/contract/v1/passwordreset.ts'
import { requestPasswordReset, resetPassword } from '#core/account/identity/passwords/password-reset.ts'
import { marksIn } from './handler/known-browsers.ts'
import type { AuditEntry } from '#core/kernel/ports/store/operate.ts'

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
  ...privacyHandlers(deps),
  ...restrictionHandlers(deps),
  ...roleHandlers(deps),
  ...routingHandlers(deps),
  ...scheduleHandlers(deps),
  ...searchHandlers(deps),
  ...sessionHandlers(deps),
  ...settingsHandlers(deps),
  ...singleSignOnHandlers(deps),
  ...smsHandlers(deps),
  ...translationHandlers(),
  ...userHandlers(deps),
  ...voicemailHandlers(deps),
})

const v2Handlers = (deps: HandlerDeps) => ({
  ...callHandlers(deps),
  ...contactV2Handlers(deps),
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
  ...calendarHandlers(deps),
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
  ...operatorJobHandlers(deps),
  ...operatorPortingHandlers(deps),
  ...operatorPrivacyHandlers(deps),
  ...operatorSandboxHandlers(deps),
  ...operatorSecondFactorHandlers(deps),
  ...operatorSessionHandlers(deps),
  ...operatorSimHandlers(deps),
  ...operatorSmsHandlers(deps),
  ...operatorTariffHandlers(deps),
  ...operatorTrunkHandlers(deps),
  ...operatorUserHandlers(deps),
})

/** Handlers of the whole contract: an operation without one does not compile. */
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

/** All of these use OAuth, including its errors, and are served by `http/oauth`. */
const loginHandlers = (): Handlers<typeof loginOperations> => ({})

const holidayHandlers = (): Handlers<typeof holidayOperations> => ({
  listHolidays: ({ query }) => Promise.resolve(holidaysOf(query)),
})

const emailChangeHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof emailChangeOperations> => ({
  confirmEmail: async ({ params }) => ({ email: await store.write((tables) => confirmEmailChange(tables, clock, params.nonce)) }),
})

const restrictionHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof restrictionOperations> => ({
  listRestrictions: async ({ caller, query }) => ({ items: await listRestrictions(store, caller, query) }),
})

const auditHandlers = (deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'wake'>): Handlers<typeof auditOperations> => ({
  ...auditStreamHandlers(deps),
  listAccountAudit: async ({ caller: { accountId }, query: { before, limit = 50, offset = 0 } }) => {
    const entries = await latestEntries(deps.store.read.audit, accountId, { before, limit, offset })
    return { items: entries.map(toAuditElement) }
  },
})

const translationHandlers = (): Handlers<typeof translationOperations> => ({
  getTranslations: async ({ params }) => {
    const texts = translations(params.language)
    if (!texts) throw new Problem('language_not_found')
    return texts
  },
})

const searchHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof searchOperations> => ({
  search: async ({ caller: { accountId, userId, admin, scopes, grants }, query }) => {
    const search = readSearch(query.q, (await accountCountryOf(store.read, accountId)).country)
    return { items: await readLong(store, 'searchAll', { accountId, userId, admin, scopes, grants, search }) }
  },
})

const carrierMessageHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): Handlers<typeof carrierMessageOperations> => ({
  receiveCarrierMessage: async ({ caller, body }) => {
    await deps.store.write((tables) => receiveMessage(tables, portingContext(deps), { from: caller.code, message: body }))
    deps.wake()
  },
})

const labHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'recordingFiles' | 'speech'>,
): Handlers<typeof labOperations> => ({
  /** Audited, because it reveals the spoken words, as a recording does. */
  runLab: async ({ caller, params: { callId }, body }) => {
    const report = await runLab(deps, caller, callId, body)
    await deps.store.write((tables) => auditByUser(tables, deps.clock, caller, 'lab.run', callId))
    return report
  },
})

type PhoneDeps = Pick<HandlerDeps, 'phones' | 'phoneTickets' | 'callNotices'>

const phoneHandlers = ({ phones, phoneTickets, callNotices }: PhoneDeps): Handlers<typeof phoneOperations> => ({
  openPhone: async ({ caller }) => {
    const { expiresAt, ...ticket } = await phoneTickets.invite(caller)
    return { ...ticket, expiresAt: new Date(expiresAt).toISOString() }
  },
  getPushKey: async () => ({ key: (await callNotices.key()) ?? null }),
  subscribePush: async ({ caller, body }) => ({ id: await callNotices.subscribe(caller, body) }),
  unsubscribePush: async ({ caller, params }) => callNotices.unsubscribe(caller, params.subscriptionId),
  declinePhoneCall: async ({ body }) => phones.decline(body.ticket),
})

/** The same history as under /v2, in the older form without a total. */
const historyV1Handlers = (deps: HistoryDeps): Handlers<typeof historyV1Operations> => ({
  listHistoryV1: async ({ caller, params: { userId }, query, breathe }) => {
    const filter = await historyFilter(deps, { accountId: caller.accountId, userId }, query)
    return toPage(deps, caller, await readPage(deps, caller, filter, query, breathe), breathe)
  },

  getHistoryEntryV1: ({ caller, params }) => getEntry(deps, caller, params),

  changeHistoryEntryV1: ({ caller, params: { userId, entryId }, body }) => changeEntries(deps, caller, userId, [{ id: entryId, ...body }]),

  deleteHistoryEntryV1: ({ caller, params: { userId, entryId } }) => removeEntries(deps, caller, userId, [entryId]),
})

const operatorEdgeHandlers = ({
  store,
  wallClock,
  trunkStates,
}: Pick<HandlerDeps, 'store' | 'wallClock' | 'trunkStates'>): Handlers<typeof operatorEdgeOperations> => ({
  listEdgeCarriers: async () => carriersFile(await store.read.trunks.list(), (trunkId) => trunkStates.hostsOf(trunkId)),

  listEdgeProcesses: async ({ query: { region } }) => {
    const now = wallClock.now()
    return processesFile(await store.read.nodes.list(now - maxSilenceMs), { now, region })
  },
})

const operatorSmsHandlers = ({
  smsRoutes,
  smsGateway,
}: Pick<HandlerDeps, 'smsRoutes' | 'smsGateway'>): Handlers<typeof operatorSmsOperations> => ({
  listSmsRoutes: async () => ({
    items: smsRoutes().map(({ name, usable, reason, since }) => ({
      name,
      usable,
      reason,
      since: new Date(since).toISOString(),
      ...(name === 'gateway' && smsGateway && { messagesUrl: smsGateway.messagesUrl() }),
    })),
  }),
})

const operatorAuditHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof operatorAuditOperations> => ({
  listAudit: async ({ query: { chain = 'operator', after = 0, before, limit = 100, offset = 0 } }) => {
    const { audit } = store.read
    const entries =
      before === undefined
        ? await audit.list(chain, { afterSeq: after + offset, limit })
        : await latestEntries(audit, chain, { limit, offset, ...(before > 0 && { before }) })
    return { items: entries.map(toAuditElement) }
  },

  verifyAudit: () => verifyAudit(store.read.audit),
})

const passwordResetHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'wake'>,
): Handlers<typeof passwordResetOperations> => ({
  requestPasswordReset: async ({ body, ip, cookie }) => {
    await deps.store.write((tables) => requestPasswordReset(tables, deps, { ...body, ip, marks: marksIn(cookie) }))
    deps.wake()
  },

  resetPassword: async ({ params, body }) => {
    await resetPassword(deps, params.nonce, body)
    deps.authenticator.forget()
  },
})

const toAuditElement = (entry: AuditEntry) => ({ ...entry, at: new Date(entry.at).toISOString() })
