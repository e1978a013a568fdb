import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '../peers/assistant-endpoint.ts'
import { until } from '../machine/peer-process.ts'
import { TalkClient } from '../phones/talk-client.ts'
import { silentWav } from '../sound/wav.ts'
import type { Person, World } from '../world/world.ts'
import { plantCaller } from './plant-person.ts'
import type { Planted } from './planted.ts'

/** Customer's endpoint that repeats everything, and reports the result of the call. */
export const talkativeEndpoint = (t: TestContext, planted: () => Planted): Promise<AssistantEndpoint> =>
  startAssistantEndpoint(t, (event: AssistantEvent) => {
    if (event.type === 'user_speak')
      return { type: 'speak', session_id: event.session.id, text: `You said ${event.text}, and ${planted().word()}` }
    if (event.type === 'session_end') return { type: 'result', outcome: planted().word(), summary: `They asked for ${planted().word()}` }
    return undefined
  })

const first = <T>(items: readonly T[]): T => items[0] ?? assert.fail('there is none')

/** Creates all personal data that an account stores, over REST and in calls. */
export const plantAccount = async (
  t: TestContext,
  world: World,
  person: Person,
  planted: Planted,
  endpoint: AssistantEndpoint,
): Promise<void> => {
  await plantPeople(world, person, planted)
  await plantLines(person, planted)
  const flowId = await plantAssistant(world, person, planted, endpoint)
  for (let i = 0; i < 3; i++) await plantTalk(t, world, person, { planted, aiFlowId: flowId, endpoint, from: planted.number() })
  for (let i = 0; i < 3; i++) await plantCaller(world, person, planted, planted.number())
  await world.clock.advance(0)
}

const plantPeople = async (world: World, { api, userId, accountId }: Person, planted: Planted): Promise<void> => {
  const operator = await world.operator()
  await operator.updateAccount({ accountId }, { company: `${planted.name()} ${planted.name()} Ltd` })
  const place = { countrycode: 'DE', postcode: '10115', city: planted.name(), street: planted.name(), number: '1' }
  const { id: addressId } = await operator.createAddress({}, { accountId, ...place })
  await operator.topUpBalance({ accountId }, { amount: 1_000_000, reason: `paid by ${planted.name()}`, idempotencyKey: accountId })
  await operator.assignNumber({}, { accountId, number: planted.number(), addressId })
  await api.changeUser({ userId }, { firstname: planted.name(), lastname: planted.name() })
  for (let i = 0; i < 5; i++)
    await api.createInvitation(
      {},
      { email: planted.email(), firstname: planted.name(), lastname: planted.name(), lineName: planted.name() },
    )
  for (let i = 0; i < 16; i++)
    await api.createContact(
      {},
      { name: `${planted.name()} ${planted.name()}`, emails: [planted.email()], numbers: [planted.number()], shared: i % 2 === 0 },
    )
  const { tokenId } = await api.createPersonalToken({}, { name: planted.name() })
  await api.setLeash({ leashId: tokenId }, { allowedNumbers: [planted.number(), planted.number()] })
  await api.createOauthClient({}, { name: planted.name(), redirectUris: ['https://example.com/cb'] })
  const holder = { name: planted.name(), street: planted.name(), number: '1', postcode: '10115', city: planted.name(), country: 'DE' }
  await api.startPorting({}, { numbers: ['+493023125801'], holder, email: planted.email() })
}

/** Keys of the browser in RFC 8291. */
const pushKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

const plantLines = async ({ api, userId }: Person, planted: Planted): Promise<void> => {
  await api.createRegisterDevice({ userId }, { alias: planted.name() })
  await api.createExternalDevice({ userId }, { alias: planted.name(), number: planted.number() })
  await api.subscribePush({}, { endpoint: `https://fcm.googleapis.com/${planted.word()}`, keys: pushKeys, language: 'en' })
  const phonelineId = first((await api.listPhonelines({ userId })).items).id
  await api.changePhoneline({ userId, phonelineId }, { alias: planted.name() })
  const voicemailId = first((await api.listPhonelineVoicemails({ userId, phonelineId })).items).id
  const greeting = { alias: planted.name(), base64Content: silentWav({ seconds: 0.1 }).toString('base64') }
  await api.createPhonelineGreeting({ userId, phonelineId, voicemailId }, greeting)
  await api.createParallelForwarding({ userId, phonelineId }, { alias: planted.name(), destination: planted.number(), active: false })
  const faxlineId = first((await api.listFaxlines({ userId })).items).id
  await api.changeFaxline({ userId, faxlineId }, { alias: planted.name(), tagline: planted.name() })
  for (let i = 0; i < 3; i++)
    await api.createNotification(
      { userId },
      { type: 'CALL', endpointId: phonelineId, via: 'EMAIL', recipient: planted.email(), direction: 'ALL' },
    )
  await api.createGroup({}, { alias: planted.name(), members: [userId] })
  const days = [{ date: '2027-05-03', name: planted.name(), open: [] }]
  await api.createSchedule({}, { name: planted.name(), timeZone: 'Europe/Berlin', week: {}, days })
}

const plantAssistant = async (world: World, { api }: Person, planted: Planted, { url }: AssistantEndpoint): Promise<string> => {
  const words = (count: number): string => Array.from({ length: count }, () => planted.word()).join(' and ')
  const written = await api.createFlow({}, { name: planted.name() })
  const aiFlowId = written.id
  await api.changeAssistant({ aiFlowId }, { settings: { greeting: words(2), prompt: `Speak about ${words(4)}.` } })
  await api.publishAssistant({ aiFlowId }, { note: words(1) })
  for (let i = 0; i < 2; i++) {
    await api.addKnowledge({ aiFlowId }, { name: planted.name(), kind: 'text', text: `We sell ${words(8)}.` })
    // A child process reads it. A concurrent document waits for a second before the retry.
    await until('the document', async () => {
      await world.clock.advance(1_000)
      return (await api.listKnowledge({ aiFlowId })).items.every(({ state }) => state === 'READY')
    })
  }
  await api.setScenario({ aiFlowId, name: 'booking' }, { name: 'booking', from: planted.number(), steps: [{ say: words(3) }] })
  await world.clock.advance(0)
  const flow = await api.createFlow({}, { name: planted.name(), webhookUrl: url, timeouts: { silence_seconds: 3600 } })
  return flow.id
}

export interface TalkOptions {
  planted: Planted
  aiFlowId: string
  endpoint: AssistantEndpoint
  /** Caller's number. */
  from: string
}

/** Call in which everything is typed. */
export const plantTalk = async (
  t: TestContext,
  world: World,
  { api }: Person,
  { planted, aiFlowId, endpoint, from }: TalkOptions,
): Promise<void> => {
  const { url } = await api.startTalk({ aiFlowId }, { audio: false, fast: true, from })
  const started = endpoint.ofType('session_start').length
  const before = endpoint.ofType('user_speak').length
  const client = await TalkClient.open(t, url)
  await client.onEvent('answered')
  await endpoint.received('session_start', started + 1)
  client.send({ type: 'text', text: `${planted.word()} ${planted.word()}` })
  await endpoint.received('user_speak', before + 1)
  client.send({ type: 'hangup' })
  await client.closed
  await world.clock.advance(0)
  const entry = first((await api.listOwnHistory({ types: ['CALL'], limit: 1 })).items)
  await api.changeOwnHistoryEntry({ entryId: entry.id }, { note: `${planted.word()} wants ${planted.word()}` })
}
