import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredDocument } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { PushExchange } from '#core/kernel/ports/store/push.ts'
import { notificationKind, type CallNotification } from '#core/telephone/push/notifications.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import { aDelivery } from '#test/store/a-delivery.ts'
import { silentWav } from '#test/sound/wav.ts'
import { addSmsRoute } from '#test/sms/scripted-sms-route.ts'
import type { Person, World } from '#test/world/world.ts'
import { calendar } from './examples.ts'

/** Account with one of each resource, owned by its administrator where it has an owner. */
export interface FullAccount {
  ada: Person
  /** Resource ids under the names of their path parameters. */
  ids: Record<string, string>
}

const first = <T>(items: T[]): T => {
  const [item] = items
  assert.ok(item !== undefined, 'the fixture is incomplete')
  return item
}

/**
 * Names contain MARKERA if the whole account may see them, PRIVATEADA if only their owner may. Ada is the account's second user and
 * the first extensions are used up, so that none of hers exists in a younger account.
 */
export const fillAccount = async (world: World): Promise<FullAccount> => {
  addSmsRoute(world)
  const { accountId } = await world.newAccount('MARKERA Ltd')
  await world.write(async ({ extensions }) => {
    for (const kind of ['e', 'x', 'y', 'g', 'p', 'v', 'f'] as const) {
      for (let n = 0; n < 20; n++) await extensions.remove(accountId, await extensions.create(accountId, { kind, alias: '', at: 1 }), 1)
    }
  })
  const ada = await world.newUser(accountId, { admin: true })
  const ids = {
    userId: ada.userId,
    accountId: ada.accountId,
    callId: 'no-call',
    language: 'en_US',
    quickDialNumber: '88',
    stockId: 'no-stock',
    month: '2026-01',
    event: 'call',
    way: 'email',
    e164: '+493023125001',
  }
  await provide(world, ada, 'MARKERA')
  const numbers = await addNumbers(ada)
  return { ada, ids: { ...ids, ...numbers, ...(await addDevices(ada)), ...(await addLines(ada)), ...(await addRecords(world, ada)) } }
}

/** Grants that only the operator gives: features, permission, money, an address, a number. */
export const provide = async (world: World, { accountId }: Person, street: string): Promise<void> => {
  const operator = await world.operator()
  await operator.bookAccountFeature({ accountId, feature: 'SVCIO' })
  await operator.reviewAccountOutbound({ accountId }, { enabled: true, reviewer: 'test', reason: 'test' })
  await operator.topUpBalance({ accountId }, { amount: 1_000_000, reason: 'test', idempotencyKey: accountId })
  const place = { countrycode: 'DE', postcode: '10115', city: 'Berlin', street, number: '1' }
  const { id: addressId } = await operator.createAddress({}, { accountId, ...place })
  const taken = (await operator.listAllNumbers({})).items.length
  await operator.assignNumber({}, { accountId, number: `+4930231250${String(taken).padStart(2, '0')}`, addressId })
}

const addNumbers = async ({ api, userId }: Person) => {
  const number = first((await api.listNumbers()).items)
  await api.addQuickDial({}, { userId, number: '44' })
  const quickDial = first((await api.listNumbers()).items.filter((one) => one.type === 'QUICKDIAL'))
  const addressId = first((await api.listAddresses()).items).id
  return { numberId: number.id, e164: number.number, quickdialId: quickDial.id, addressId }
}

/** Keys of the browser in RFC 8291. */
const pushKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

const addDevices = async ({ api, userId }: Person) => {
  const device = await api.createRegisterDevice({ userId }, { alias: 'PRIVATEADA desk' })
  const external = await api.createExternalDevice({ userId }, { alias: 'PRIVATEADA door', number: '+493023125902' })
  const mobile = await api.createMobileDevice({ userId }, { alias: 'PRIVATEADA cell' })
  const { id: subscriptionId } = await api.subscribePush(
    {},
    { endpoint: 'https://fcm.googleapis.com/PRIVATEADA', keys: pushKeys, language: 'en' },
  )
  return { deviceId: device.id, externalDeviceId: external.id, mobileDeviceId: mobile.id, subscriptionId }
}

const addLines = async ({ api, userId }: Person) => {
  const phonelineId = first((await api.listPhonelines({ userId })).items).id
  const voicemailId = first((await api.listPhonelineVoicemails({ userId, phonelineId })).items).id
  const recording = { alias: 'PRIVATEADA greeting', base64Content: silentWav({ seconds: 0.1 }).toString('base64') }
  const greeting = await api.createPhonelineGreeting({ userId, phonelineId, voicemailId }, recording)
  const destination = { alias: 'PRIVATEADA cell', destination: '+493023125904', active: true }
  const parallel = await api.createParallelForwarding({ userId, phonelineId }, destination)
  const smsId = first((await api.listSms({ userId })).items).id
  const callerId = await api.createSmsCallerId({ userId, smsId }, { phonenumber: '+4915799912345' })
  const input = { type: 'CALL', endpointId: phonelineId, via: 'EMAIL', recipient: 'privateada@example.com', direction: 'ALL' } as const
  const notification = await api.createNotification({ userId }, input)
  const { id: groupId } = await api.createGroup({}, { alias: 'MARKERA group', members: [userId], faxline: true })
  return {
    phonelineId,
    voicemailId,
    greetingId: greeting.id,
    parallelForwardingId: parallel.id,
    faxlineId: first((await api.listFaxlines({ userId })).items).id,
    groupFaxlineId: first((await api.listGroupFaxlines({ groupId })).items).id,
    groupId,
    smsId,
    callerIdId: callerId.id,
    notificationId: notification.id,
  }
}

/** Stored as by the identity provider. */
const addConsent = async (world: World, { accountId, userId }: Pick<Person, 'accountId' | 'userId'>, clientId: string): Promise<string> => {
  const idHash = `grant-${accountId}`
  const sealed = world.running.deps.vault.seal(JSON.stringify({ jti: 'PRIVATEADA grant', clientId, iat: 1, openid: { scope: 'all' } }))
  await world.write(async (tables) => {
    const subject = (await tables.users.find(accountId, userId))?.subject
    await tables.oidcRecords.put({
      model: 'Grant',
      idHash,
      sealed,
      subject,
      clientId,
      grantId: undefined,
      uid: undefined,
      expiresAt: undefined,
    })
  })
  return idHash
}

const addPasskey = async (world: World, { accountId, userId }: Pick<Person, 'accountId' | 'userId'>): Promise<string> => {
  const id = `passkey-${accountId}`
  const key = { site: 'localhost', credentialId: id, publicKey: '', counter: 0, transports: [], createdAt: 1 }
  await world.write(async ({ users, secondFactors }) => {
    const subject = (await users.find(accountId, userId))?.subject ?? ''
    await secondFactors.insertPasskey(subject, { id, name: 'PRIVATEADA key', ...key })
  })
  return id
}

const addRecords = async (world: World, { api, accountId, userId }: Person) => {
  const contact = await api.createContact({}, { name: 'PRIVATEADA contact', emails: [], numbers: [], shared: false })
  const client = await api.createOauthClient({}, { name: 'PRIVATEADA app', redirectUris: ['https://example.com/cb'] })
  const token = await api.createPersonalToken({}, { name: 'PRIVATEADA script' })
  await api.setLeash({ leashId: token.tokenId }, { callsPerDay: 1 })
  const invitation = await api.createInvitation({}, { email: `markera-${accountId}@example.com` })
  const provider = await api.createIdentityProvider(
    {},
    { name: 'MARKERA login', domains: ['markera.example'], oidc: { issuer: 'https://login.example', clientId: 'x' } },
  )
  const flow = await api.createFlow({}, { name: 'MARKERA flow' })
  const secret = await api.createFlowSecret({ aiFlowId: flow.id })
  await addAssistant(api, flow.id)
  const schedule = await api.createSchedule({}, { name: 'MARKERA hours', timeZone: 'UTC', week: {}, days: [] })
  const { id: calendarId } = await api.createCalendar({}, { ...calendar, name: 'MARKERA calendar' })
  const start = new Date(world.clock.now() + 86_400_000).toISOString().replace(/T.*/, 'T10:00:00Z')
  const booking = await api.createBooking({ calendarId }, { service: 'talk', start, name: 'MARKERA visitor', confirm: true })
  const stream = await api.createAuditStream({}, { kind: 'WEBHOOK', url: 'https://markera.invalid/MARKERA' })
  const role = await api.createRole({}, { name: 'MARKERA role', permissions: [] })
  const svcioSecret = await api.createSvcioSecret()
  const smsId = first((await api.listSms({ userId })).items).id
  const holder = { name: 'MARKERA', street: 'Chausseestr.', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }
  await api.startPorting({}, { numbers: [`+4930231258${accountId.slice(0, 2)}`], holder, email: 'markera@example.com' })
  await world.write(async (tables) => {
    await tables.programs.setLogin({ accountId, smsId, systemId: `${accountId}${smsId}`, hash: 'none', createdAt: 1 })
    await tables.appEvents.insert(accountId, { type: 'TEST', name: 'MARKERA event', payload: {} }, 1)
    await tables.history.insert(accountId, historyEntry(userId, `recording-${accountId}`))
    await tables.recordings.insert(recording(accountId))
    await tables.timelines.write([{ row: timeline(accountId), isNew: true, rowChanged: true, pieces: [timelinePiece] }])
    await tables.history.insert(accountId, faxEntry(userId, `fax-${accountId}`))
    await tables.pushExchanges.insert([exchange(accountId)])
    const later = Date.UTC(2040, 0, 1) // far in the future: a worker takes due entries as soon as they are written
    await tables.outbox.put({ id: `notice-${accountId}`, accountId, kind: notificationKind, payload: notice(accountId), at: later })
    await tables.outbox.giveUp(`notice-${accountId}`, 'MARKERA error')
    await tables.deliveries.insert([
      aDelivery(`delivery-${accountId}`, { accountId, flowId: flow.id, problems: [{ index: -1, message: 'MARKERA' }] }),
    ])
    await addResult(tables, accountId, flow.id)
    await tables.knowledge.insert(aDocument(accountId, flow.id))
    await addTest(tables, accountId, flow.id)
  })
  await addSound(world, accountId)
  for (const kind of papers)
    await world.running.deps.faxFiles.write({ accountId, faxId: `fax-${accountId}`, kind }, Buffer.from('PRIVATEADA fax'))
  return {
    contactId: contact.id,
    clientId: client.clientId,
    tokenId: token.tokenId,
    leashId: token.tokenId,
    grantId: await addConsent(world, { accountId, userId }, client.clientId),
    passkeyId: await addPasskey(world, { accountId, userId }),
    invitationId: invitation.id,
    sessionId: first((await api.listLoginSessions()).items).id,
    aiFlowId: flow.id,
    providerId: provider.id,
    domain: 'markera.example',
    scheduleId: schedule.id,
    calendarId,
    bookingId: booking.id,
    roleId: role.id,
    streamId: stream.id,
    target: flow.id,
    version: '1',
    tool: 'ask_stock',
    secretId: secret.id,
    svcioSecretId: svcioSecret.id,
    noticeId: `notice-${accountId}`,
    deliveryId: `delivery-${accountId}`,
    portingId: String(first((await api.listPortings()).items).id),
    id: first((await api.listAppEvents()).items).eventId,
    entryId: `entry-${userId}`,
    recordingId: `recording-${accountId}`,
    timelineCallId: timelineCallId(accountId),
    faxId: `fax-${accountId}`,
    resultCallId: `result-${accountId}`,
    documentId: `document-${accountId}`,
    scenarioName: 'MARKERA scenario',
    runId: `run-${accountId}`,
    ...(await addPrivacy(world, api, contact.id)),
  }
}

/** Export with a ready archive, and a pending erasure. */
const addPrivacy = async ({ clock }: World, api: Person['api'], contactId: string) => {
  const subject = { type: 'CONTACT', id: contactId } as const
  const { id: exportId } = await api.createDataExport({}, { subject })
  const { id: erasureId } = await api.createErasure({}, { subject })
  await clock.advance(0)
  return { exportId, erasureId }
}

/** Saved conversation, and a finished run. */
const addTest = async ({ scenarios, testRuns }: Tables, accountId: string, flowId: string): Promise<void> => {
  const scenario = { name: 'MARKERA scenario', steps: [{ say: 'MARKERA' }] }
  await scenarios.put(accountId, flowId, { scenario, required: false, updatedAt: 1 })
  const id = `run-${accountId}`
  await testRuns.insert(accountId, { id, flowId, state: 'passed', choice: undefined, total: 1, startedAt: Date.UTC(2040, 0, 1) })
  const report = { state: 'passed' as const, failures: [], transcript: [], conversationMs: 1, tookMs: 1 }
  await testRuns.addReport(accountId, id, 0, { name: 'MARKERA scenario', ...report })
}

const aDocument = (accountId: string, flowId: string): StoredDocument => ({
  id: `document-${accountId}`,
  accountId,
  flowId,
  name: 'MARKERA document',
  kind: 'text',
  url: undefined,
  state: 'READY',
  problem: undefined,
  bytes: 1,
  passages: 0,
  addedAt: 1,
})

/** Result of an ended call that was delivered to a webhook. */
const addResult = async ({ results }: Tables, accountId: string, flowId: string): Promise<void> => {
  const callId = `result-${accountId}`
  await results.begin({ callId, accountId, flowId, startedAt: 1, webhookUrl: 'http://127.0.0.1:9/' })
  await results.tell(callId, { messages: [], told: { summary: 'MARKERA summary' }, search: 'markera' })
  await results.setDelivery(callId, 'delivered', 'none')
}

/** Two versions, so that a rollback is possible. */
const addAssistant = async (api: Person['api'], aiFlowId: string): Promise<void> => {
  const http = [{ name: 'ask_stock', description: 'MARKERA tool', url: 'http://127.0.0.1:9/' }]
  await api.changeAssistant({ aiFlowId }, { settings: { greeting: 'MARKERA greeting', prompt: 'MARKERA prompt', tools: { http } } })
  for (const note of ['MARKERA note', 'MARKERA other note']) await api.publishAssistant({ aiFlowId }, { note })
}

const timelineCallId = (accountId: string): string => `timeline-${accountId}`

const timeline = (accountId: string): StoredTimeline => ({
  accountId,
  callId: timelineCallId(accountId),
  flowId: undefined,
  userIds: [],
  owner: 'nobody',
  startedAt: 1,
  changedAt: 1,
  lastSequence: 1,
  endedAt: 1,
  closedAt: 1,
})

const timelinePiece = { first: 1, last: 1, entries: '[{"callId":"c","sequence":1,"at":1,"kind":"problem","message":"PRIVATEADA words"}]' }

const exchange = (accountId: string): PushExchange => ({
  id: `exchange-${accountId}`,
  accountId,
  line: 'p0',
  event: 'newCall',
  callId: 'session',
  at: Date.UTC(2040, 0, 1),
  url: 'https://example.com/MARKERA',
  request: 'event=newCall',
  response: '',
  xmlError: undefined,
  status: 200,
})

const notice = (accountId: string): CallNotification => ({
  event: 'answer',
  call: { accountId, callId: 'session', direction: 'in', lines: [] },
  url: 'https://example.com/MARKERA',
  body: 'event=answer',
  after: undefined,
})

const recording = (accountId: string): StoredRecording => ({
  awaited: false,
  id: `recording-${accountId}`,
  accountId,
  callId: 'session',
  kind: 'CALL',
  createdAt: Date.UTC(2040, 0, 1),
  durationMs: 1_000,
  bytes: 16,
  truncated: false,
})

/** Creates the recording's sound file. */
const addSound = async ({ data }: World, accountId: string): Promise<void> => {
  await mkdir(join(data, 'recordings', accountId), { recursive: true })
  await writeFile(join(data, 'recordings', accountId, `recording-${accountId}.wav`), 'PRIVATEADA sound')
}

const papers = ['document', 'report', 'preview'] as const

const faxEntry = (userId: string, id: string) => ({
  ...historyEntry(userId, ''),
  id,
  sessionId: id,
  type: 'FAX' as const,
  detail: { faxStatusType: 'SENT' as const, papers },
})

const historyEntry = (userId: string, recordingId: string) => ({
  id: `entry-${userId}`,
  userId,
  sessionId: 'session',
  type: 'CALL' as const,
  direction: 'INCOMING' as const,
  source: '+493023125905',
  target: '+493023125906',
  sourceAlias: '',
  targetAlias: '',
  status: 'PICKUP' as const,
  connectionIds: [],
  endpoints: [],
  detail: { duration: 3, callStatus: 'SUCCESS' as const, recordings: [{ id: recordingId }] },
  createdAt: 1,
  modifiedAt: 1,
  read: false,
  archived: false,
  starred: false,
  note: 'PRIVATEADA note',
  labels: [],
})
