import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { offhook, output } from '#test/machine/program.ts'
import { blocksOf } from '#test/guides/blocks.ts'
import { startExchange } from '#test/service/exchange.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { temporaryFolder } from '#test/store/databases.ts'

const { skip } = await embeddedModels('vad', 'stt-en', 'tts-en')

const scenario = `name: opening hours
steps:
  - expect: { said: welcome }
  - say: When are you open on Thursday?
  - expect: { said: until six in the evening }
  - say: Thank you, goodbye.
  - expect: { ended: assistant_hangup }
`

/** The command of the guide, for this flow. Its limits would judge how busy the machine is. */
const command = (file: string, junit: string): string[] => {
  const text = blocksOf('docs/guides/testing-an-assistant.md').find((block) => block.text.startsWith('npx offhook test table'))?.text ?? ''
  const given: Record<string, string> = {
    'table.scenario.yaml': file,
    ID: 'Aloud',
    'sound.xml': junit,
    'response_p50_ms=2500': 'response_p50_ms=60000',
  }
  return text
    .trim()
    .split(' ')
    .slice(2)
    .map((word) => (word.startsWith('cut_offs=') ? 'cut_offs=3' : (given[word] ?? word)))
}

test('speaks a scenario with offhook test --voice, and the assistant understands it', { skip }, async (t) => {
  const endpoint = await startAssistantEndpoint(t, (event) => {
    const { type, session } = event
    const speak = (text: string) => ({ type: 'speak', session_id: session.id, text })
    if (type === 'session_start') return speak('Welcome.')
    if (type !== 'user_speak') return undefined
    if (/thursday/i.test(event.text)) return speak('Until six in the evening.')
    return /bye/i.test(event.text) ? { type: 'hangup', session_id: session.id } : speak('Pardon?')
  })
  const { admin, http, data } = await startExchange(t, { OFFHOOK_SPEECH: 'embedded', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  await admin.createFlow({}, { name: 'Aloud', webhookUrl: endpoint.url, language: 'en-US', fillers: { off: true } })
  const folder = await temporaryFolder(t)
  const [file, junit] = [join(folder, 'hours.scenario.yaml'), join(folder, 'sound.xml')]
  await writeFile(file, scenario)
  const args = [...command(file, junit), '--url', http]
  const [code, notified, why] = await output(offhook(t, args, { OFFHOOK_DATA: data }))
  assert.equal(code, 0, notified + why)
  assert.match(notified, /✔ opening hours/)
  assert.match(
    notified,
    /answers: \d, p50 \d+ ms, .*cut-offs: \d of 2; false stops: \d; missed interruptions: 0; word errors: [\d.]+ % of 9/,
  )
  assert.match(await readFile(junit, 'utf8'), /<property name="response_p50_ms" value="\d+"\/>/)
  assert.ok(endpoint.ofType('user_speak').every(({ text }) => text !== ''))
  const [without, , missing] = await output(offhook(t, args, { OFFHOOK_DATA: data, OFFHOOK_MODELS: folder }))
  assert.deepEqual([without, /not fetched: .*; run `npx offhook models`/.test(missing)], [3, true], missing)
})
