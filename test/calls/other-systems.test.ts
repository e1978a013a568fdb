import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { createClient } from '@offhook/sdk'
import { WebSocketServer, type WebSocket } from 'ws'
import { readSettings } from '#settings/config.ts'
import { start } from '#wiring/main.ts'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { notesIn } from '#test/service/exchange.ts'

/** Service with egress to this machine; calls are typed, and tones are heard in real time. */
const startService = async (t: TestContext) => {
  const data = await temporaryFolder(t, () => running.close())
  const here = { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DATA: data, OFFHOOK_SPEECH: 'tones' }
  const running = await start(readSettings({ ...here, OFFHOOK_SHED_LOAD: 'off', OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }), { log: () => {} })
  const { token = '' } = await notesIn(data)
  const api = createClient({ baseUrl: running.http, token })
  const call = async (t: TestContext, flow: object) => {
    const { id: aiFlowId, secret } = await api.createFlow({}, { name: t.name, language: 'en-US', ...flow })
    const dial = async () => {
      const { talkId: callId, url } = await api.startTalk({ aiFlowId }, { audio: false })
      const client = await TalkClient.open(t, url)
      await client.onEvent('answered')
      const entries = async (): Promise<TimelineEntry[]> => (await api.getTimeline({ callId, limit: 1000 })).items
      const heard = async (words: string, times = 1): Promise<void> => {
        const isIn = (entry: TimelineEntry): boolean => entry.kind === 'speaks' && entry.text?.includes(words) === true
        await until(`hear "${words}"`, async () => (await entries()).filter(isIn).length >= times || undefined)
      }
      return { client, callId, entries, heard, say: (words: string) => client.send({ type: 'text', text: words }) }
    }
    return { secret, dial }
  }
  return { call }
}

/** WebSocket server written for another system. */
const startSockets = async (t: TestContext, serve: (socket: WebSocket, request: IncomingMessage) => void): Promise<string> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  t.after(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  await once(server, 'listening')
  server.on('connection', serve)
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** Web server written for another system. */
const startWeb = (t: TestContext, answer: (body: string, request: IncomingMessage, response: ServerResponse) => void): Promise<string> =>
  startLoopbackServer(t, (request, response) => void text(request).then((body) => answer(body, request, response)))

type Message = Record<string, unknown>

/** Calls back with each message. */
const listen = (socket: WebSocket, take: (message: Message) => void): void =>
  void socket.on('message', (data: Buffer) => take(JSON.parse(data.toString()) as Message))

const story = 'Once upon a time there was a king who had three daughters, and each of them wanted to see the sea before the winter came.'

test('answers calls with unmodified servers of other systems', async (t) => {
  const { call } = await startService(t)

  await t.test('runs ConversationRelay from TwiML: greeting, prompt, tokens, interruption, hand-off, dial', async (t) => {
    const notified: Message[] = []
    const forms: URLSearchParams[] = []
    const proofs: [given: string | undefined, url: string, form: URLSearchParams][] = []
    const relay = await startSockets(t, (socket) =>
      listen(socket, (message) => {
        notified.push(message)
        if (message.type !== 'prompt') return
        if (message.voicePrompt === 'bye') return socket.send(JSON.stringify({ type: 'end', handoffData: 'over' }))
        for (const token of message.voicePrompt === 'story' ? story.split(/(?= )/) : ['You said ', String(message.voicePrompt), '.'])
          socket.send(JSON.stringify({ type: 'text', token, last: false }))
        socket.send(JSON.stringify({ type: 'text', token: '', last: true }))
      }),
    )
    const address = await startWeb(t, (body, request, response) => {
      const form = new URLSearchParams(body)
      forms.push(form)
      proofs.push([request.headers['x-twilio-signature'] as string, `http://${address}${request.url}`, form])
      const twiml =
        request.url === '/after'
          ? '<Say>Goodbye then.</Say>'
          : `<Connect action="/after"><ConversationRelay url="${relay}" welcomeGreeting="Welcome."/></Connect>`
      response.setHeader('content-type', 'text/xml').end(`<Response>${twiml}</Response>`)
    })
    const { secret, dial } = await call(t, { protocol: 'twilio', webhookUrl: `http://${address}/voice` })
    const { client, say, heard, entries } = await dial()
    await heard('Welcome.')
    say('hello')
    await heard('You said hello.')
    say('story')
    await heard('Once upon')
    say('stop it')
    await heard('You said stop it.')
    const interrupt = notified.find(({ type }) => type === 'interrupt') ?? assert.fail('nobody was told of the interruption')
    assert.ok(story.startsWith(String(interrupt.utteranceUntilInterrupt)), String(interrupt.utteranceUntilInterrupt))
    say('bye')
    await heard('Goodbye then.')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
    assert.deepEqual([forms[1]?.get('HandoffData'), forms[1]?.get('SessionStatus')], ['over', 'ended'])
    for (const [given, url, form] of proofs) {
      const signed =
        url +
        [...form.keys()]
          .toSorted()
          .map((name) => name + form.get(name))
          .join('')
      assert.equal(given, createHmac('sha1', secret).update(signed).digest('base64'))
    }
    const bytes = (await entries()).flatMap((entry) =>
      entry.kind === 'note' && entry.name === 'gateway' ? [JSON.stringify(entry.data)] : [],
    )
    assert.ok(
      bytes.some((body) => body.includes('setup')) && bytes.some((body) => body.includes('handoffData')),
      'the bytes are in the timeline',
    )
  })

  await t.test('runs TwiML alone and gathers speech and keys', async (t) => {
    const address = await startWeb(t, (body, request, response) => {
      const form = new URLSearchParams(body)
      const gather = '<Gather input="speech dtmf" numDigits="2" action="/got"><Say>Your table?</Say></Gather><Say>Nothing?</Say>'
      const got = `<Say>Table ${form.get('Digits') ?? form.get('SpeechResult')}.</Say>${form.has('Digits') ? '<Hangup/>' : gather}`
      response.setHeader('content-type', 'text/xml').end(`<Response>${request.url === '/got' ? got : gather}</Response>`)
    })
    const { dial } = await call(t, { protocol: 'twilio', webhookUrl: `http://${address}/voice` })
    const { client, say, heard } = await dial()
    await heard('Your table?')
    say('seven')
    await heard('Table seven.')
    await heard('Your table?', 2)
    client.send({ type: 'dtmf', digits: '42' })
    await heard('Table 42.')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
  })

  await t.test('runs a custom LLM of Retell', async (t) => {
    const questions: Message[] = []
    const url = await startSockets(t, (socket, request) => {
      assert.match(request.url ?? '', /^\/llm\/[\w-]+$/)
      socket.send(JSON.stringify({ response_type: 'config', config: { auto_reconnect: true, call_details: true } }))
      const respond = (response_id: unknown, content: string, more = {}) =>
        socket.send(JSON.stringify({ response_type: 'response', response_id, content, content_complete: true, ...more }))
      listen(socket, (message) => {
        if (message.interaction_type === 'call_details') respond(0, 'Welcome.')
        if (message.interaction_type !== 'response_required') return
        questions.push(message)
        const { content } = (message.transcript as { content: string }[]).at(-1) ?? { content: '' }
        respond(message.response_id, content === 'bye' ? 'Goodbye.' : content === 'story' ? story : `You said ${content}.`, {
          end_call: content === 'bye',
        })
      })
    })
    const { dial } = await call(t, { protocol: 'retell', websocketUrl: `${url}/llm` })
    const { client, say, heard } = await dial()
    await heard('Welcome.')
    say('story')
    await heard('Once upon')
    say('hello')
    await heard('You said hello.')
    say('bye')
    await heard('Goodbye.')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
    const [, second] = questions
    const agent =
      ((second?.transcript ?? []) as { role: string; content: string }[]).filter(({ role }) => role === 'agent').at(-1)?.content ?? ''
    assert.ok(story.startsWith(agent) && agent.length < story.length, 'it knows how much was heard')
  })

  await t.test('runs a custom LLM of Vapi', async (t) => {
    const address = await startWeb(t, (body, _request, response) => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] }
      const { role, content } = messages.at(-1) ?? { role: '', content: '' }
      const words = role === 'system' ? 'Welcome.' : content === 'bye' ? 'Goodbye.' : `You said ${content}.`
      response.setHeader('content-type', 'text/event-stream')
      for (const token of words.split(/(?= )/)) response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: token } }] })}\n\n`)
      if (content === 'bye')
        response.write(
          `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'endCall', arguments: '{}' } }] } }] })}\n\n`,
        )
      response.end('data: [DONE]\n\n')
    })
    const { dial } = await call(t, { protocol: 'vapi', webhookUrl: `http://${address}/llm` })
    const { client, say, heard } = await dial()
    await heard('Welcome.')
    say('hello')
    await heard('You said hello.')
    say('bye')
    await heard('Goodbye.')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
  })

  await t.test('runs an application of jambonz', async (t) => {
    const gather = { verb: 'gather', input: ['speech'], bargein: true, actionHook: '/said', say: { text: 'Please speak.' } }
    const url = await startSockets(t, (socket) =>
      listen(socket, ({ type, msgid, data }) => {
        const ack = (verbs: object[]) => socket.send(JSON.stringify({ type: 'ack', msgid, data: verbs }))
        if (type === 'session:new') ack([gather])
        if (type !== 'verb:hook') return
        const { speech } = data as { speech?: { alternatives: { transcript: string }[] } }
        const said = speech?.alternatives[0]?.transcript
        ack(said === 'bye' ? [{ verb: 'say', text: 'Goodbye.' }, { verb: 'hangup' }] : [{ verb: 'say', text: `You said ${said}.` }, gather])
      }),
    )
    const { dial } = await call(t, { protocol: 'jambonz', websocketUrl: url })
    const { client, say, heard } = await dial()
    await heard('Please speak.')
    say('hello')
    await heard('You said hello.')
    await heard('Please speak.', 2)
    say('bye')
    await heard('Goodbye.')
    assert.equal((await client.onEvent('ended')).reason, 'assistant_hangup')
  })
})
