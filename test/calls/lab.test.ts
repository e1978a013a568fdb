import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { LabReport } from '@offhook/contract/v2/lab.ts'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { wavFile } from '#media/sound/wav.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { startExchange } from '#test/service/exchange.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const said = ['first thing', 'second thing']

const answer = ({ type, session }: AssistantEvent): unknown =>
  type === 'session_start' || type === 'user_speak' ? { type: 'speak', session_id: session.id, text: 'ok' } : undefined

/** Commands of the guide, verbatim. */
const commandsOfGuide = async (): Promise<string[][]> => {
  const guide = await readFile(join(root, 'docs/guides/barge-in-lab.md'), 'utf8')
  return guide.split('\n').flatMap((line) => (line.startsWith('npx offhook lab ') ? [line.split(' ').slice(2)] : []))
}

test('replays a recorded call in the lab, by the API and by the commands of the guide', async (t) => {
  const endpoint = await startAssistantEndpoint(t, answer)
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const { admin } = exchange
  const flow = await admin.createFlow({}, { name: 'Lab', webhookUrl: endpoint.url, recording: true })
  const client = await TalkClient.open(t, (await admin.startTalk({ aiFlowId: flow.id }, {})).url)
  const caller = new ToneCaller(t, (frame) => client.sendSound(frame))
  client.onSound = (frame) => caller.hears(frame)
  const { callId } = await client.onEvent('ready')
  const isQuiet = () => caller.until(() => caller.recent(300).every((sample) => Math.abs(sample) < 100), 'it is not quiet')
  await until('the greeting', () => endpoint.ofType('assistant_speak').length > 0, 20_000)
  for (const [nth, text] of said.entries()) {
    await isQuiet()
    await caller.says(resampleSound(toneSound(text), 8000, 16_000))
    await until(`turn ${nth + 1}`, () => endpoint.ofType('user_speak').length > nth, 20_000)
    await until(`answer ${nth + 1}`, () => endpoint.ofType('assistant_speak').length > nth + 1, 20_000)
  }
  client.send({ type: 'hangup' })
  await client.closed
  const variants = [{ settings: {} }, { name: 'long', settings: { vad: { end_of_turn_silence_ms: 2000 } } }]
  const report = await until('the recording', () => admin.runLab({ callId }, { variants }).catch(() => undefined), 20_000)
  await t.test('finds the turns of the call with its settings, other turns with others', () => isAsItWas(report))

  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'call.wav'), wavFile(toneSound(said[0] ?? ''), 8000))
  await writeFile(join(folder, 'labels.json'), '[{ "startMs": 0, "endMs": 1000 }]')
  const environment = { ...process.env, OFFHOOK_URL: exchange.http, OFFHOOK_TOKEN: exchange.token, OFFHOOK_SPEECH: 'tones' }
  for (const command of await commandsOfGuide())
    await t.test(command.join(' '), async () => {
      const { stdout } = await run(process.execPath, [join(root, 'bin/offhook.mjs'), ...command], { cwd: folder, env: environment })
      assert.match(stdout, command.includes('--json') ? /"variants"/ : /would have made/)
    })
})

const isAsItWas = ({ live, agreement, variants: [as, long] }: LabReport): void => {
  assert.deepEqual(
    live?.turns.map(({ text }) => text),
    said,
  )
  assert.deepEqual(
    as?.turns.map(({ text }) => text),
    said,
  )
  assert.deepEqual([agreement, as?.splits, as?.merged], [{ turns: 2, same: 2 }, 0, 0])
  // The call may end before the longer silence.
  assert.ok((long?.turns[0]?.decidedMs ?? Infinity) > (as?.turns[0]?.decidedMs ?? 0) + 500, 'who waits longer waits longer')
}
