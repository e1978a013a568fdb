import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { hearsInTones, isUnderstood } from '#test/phones/tone-speech.ts'
import { startExchange } from '#test/service/exchange.ts'
import { openAiServer } from '#test/speech/providers/openai-server.ts'
import { providerKey } from '#test/speech/providers/provider-server.ts'

test('hears and speaks with a third-party server that has the OpenAI audio interface, without a model', async (t) => {
  const server = await openAiServer()
  t.after(() => server.close())
  const endpoint = await startAssistantEndpoint(t, ({ type, session: { id: session_id } }) =>
    type === 'user_speak' ? { type: 'speak', session_id, text: 'Yes, on Monday.' } : undefined,
  )
  const exchange = await startExchange(t, {
    OFFHOOK_EGRESS_ALLOW: endpoint.address,
    OFFHOOK_MODELS: 'off',
    OFFHOOK_SPEECH: 'service',
    OFFHOOK_SPEECH_URL: `${server.url}/v1`,
    OFFHOOK_SPEECH_KEY: providerKey,
    OFFHOOK_SPEECH_TTS_MODEL: 'gpt-4o-mini-tts',
  })
  const { id } = await exchange.admin.createFlow({}, { name: 'Assistant', webhookUrl: endpoint.url, language: 'en-US' })
  const number = await exchange.newNumber(id)
  const { user, password } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  const { answered } = phone.call(number)
  await answered
  await endpoint.received('session_start')
  await isUnderstood(phone, endpoint, 'Book a table')
  await hearsInTones(phone, 'Yes, on Monday.')
  assert.ok(server.requests.every(({ body }) => !body.includes('offhook')))
})
