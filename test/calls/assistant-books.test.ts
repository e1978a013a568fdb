import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@offhook/sdk'
import { readSettings } from '#settings/config.ts'
import { start } from '#wiring/main.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { notesIn } from '#test/service/exchange.ts'

const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
const script = [
  { when: /^user: [^]*noon/, calls: [{ name: 'hold_time', arguments: { start: `${day}T12:00` } }] },
  { when: /^tool: [^]*held/, say: 'Your name?' },
  { when: /^tool: [^]*not free/, say: 'That is taken.' },
  { when: /^user: [^]*Grace/, calls: [{ name: 'book_time', arguments: { name: 'Grace' } }] },
  { when: /^tool: [^]*booked/, say: 'It is booked.' },
]
const always = [{ from: '00:00', to: '24:00' }]

test('books a slot for a caller, and refuses it to the next one', async (t) => {
  const model = await startModelServer(t, script)
  const data = await temporaryFolder(t, () => running.close())
  const environment = { OFFHOOK_SHED_LOAD: 'off', OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_SPEECH: 'tones' }
  const settings = readSettings({ ...environment, OFFHOOK_DATA: data, OFFHOOK_EGRESS_ALLOW: model.address })
  const running = await start(settings, { log: () => {} })
  const { token = '' } = await notesIn(data)
  const api = createClient({ baseUrl: running.http, token })
  const { id: calendarId } = await api.createCalendar(
    {},
    {
      name: 'Practice',
      timeZone: 'UTC',
      week: { MO: always, TU: always, WE: always, TH: always, FR: always, SA: always, SU: always },
      days: [],
      services: [{ id: 'check', name: 'Check-up', minutes: 30 }],
      people: [{ id: 'lee', name: 'Dr Lee' }],
    },
  )
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Practice', endpoint: 'assistant', language: 'en' })
  const assistant = {
    greeting: 'Hi.',
    prompt: 'You book appointments.',
    disclosure: { mode: 'off' as const, reason: 'a test' },
    tools: { calendar: { calendar: calendarId } },
    model: { url: model.url, name: 'scripted' },
  }
  await api.changeAssistant({ aiFlowId }, { settings: assistant })
  await api.publishAssistant({ aiFlowId }, {})
  await api.testModel({ aiFlowId }, {}) // starts the agent: a call waits only seconds for it

  const call = async () => {
    const { talkId: callId, url } = await api.startTalk({ aiFlowId }, { audio: false })
    const client = await TalkClient.open(t, url)
    await client.onEvent('answered')
    const says = (text: string): Promise<unknown> =>
      until(`“${text}”`, async () => {
        const { items } = await api.getTimeline({ callId })
        return items.some((entry) => entry.kind === 'spoke' && JSON.stringify(entry).includes(text)) || undefined
      })
    await says('Hi.')
    return { callId, types: (text: string) => client.send({ type: 'text', text }), says, hangUp: () => client.send({ type: 'hangup' }) }
  }
  const [ann, bob] = [await call(), await call()]
  ann.types('At noon, please')
  await ann.says('Your name?')
  bob.types('At noon, please')
  await bob.says('That is taken.')
  ann.types('Grace')
  await ann.says('It is booked.')
  const { items } = await api.listBookings({ calendarId })
  assert.deepEqual(
    items.map(({ start: at, state, name, callId }) => ({ at, state, name, callId })),
    [{ at: `${day}T12:00:00.000Z`, state: 'CONFIRMED', name: 'Grace', callId: ann.callId }],
  )
  for (const { hangUp } of [ann, bob]) hangUp()
})
