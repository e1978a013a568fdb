import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startSwift } from '#test/peers/swift.ts'
import { heardUntilNow, silences, startProcesses, talkAt, tones, type Processes, type Talk } from '#test/service/processes.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { parseWav, type Wav } from '#test/sound/wav.ts'

/** `OFFHOOK_TEST_CLUSTER=short`: only the folder of a killed process. */
const short = process.env.OFFHOOK_TEST_CLUSTER === 'short'

/** Waits for this much more received sound; the service sends and records in the same pace. */
const stretch = async ({ caller: { rtp } }: Talk, ms: number): Promise<void> => {
  const from = rtp.heardMs
  await rtp.until(() => rtp.heardMs >= from + ms, 'no sound', ms + 30_000)
}

interface Fetched {
  status: number
  retryAfter: string | null
  /** Undefined unless the status is 200. */
  wav: Wav | undefined
}

const fetchAt = async (processes: Processes, at: number, id: string): Promise<Fetched> => {
  const { http, token } = processes.all[at] ?? assert.fail(`no process ${at}`)
  const reply = await fetch(`${http}/v2/recordings/${id}`, { headers: { authorization: `Bearer ${token}` } })
  const bytes = Buffer.from(await reply.arrayBuffer())
  const { status } = reply
  return { status, retryAfter: reply.headers.get('retry-after'), wav: status === 200 ? parseWav(bytes) : undefined }
}

/** The only recording of the only call, as this process tells of it. */
const recordingAt = (processes: Processes, at: number) =>
  until('in the history', async () => {
    const [entry, ...others] = (await processes.admin(at).listHistory({ userId: 'w0' })).items
    assert.deepEqual(others, [])
    assert.ok((entry?.recordings?.length ?? 0) <= 1, 'it is one recording')
    return entry?.recordings?.[0]
  })

interface Scene {
  processes: Processes
  talk: Talk
  /** Seconds that the whole recording must have. */
  seconds: number
  /** Seconds of sound before the end of the first process. */
  before: number
}

/** A recorded call whose process ends by this signal; another one goes on, until the caller hangs up. */
const recordAcross = async (
  t: TestContext,
  settings: Record<string, string>,
  { beforeMs, signal }: { beforeMs: number; signal: 'SIGKILL' | 'SIGTERM' },
): Promise<Scene> => {
  const processes = await startProcesses(t, 3, settings, { ownFolders: true })
  const talk = await talkAt(t, processes, 0)
  const { callId } = talk
  await processes.admin(0).recordCall({ callId }, { value: true, announcement: false })
  const startedAt = performance.now()
  await stretch(talk, beforeMs)
  const packets = heardUntilNow([talk])
  const before = (performance.now() - startedAt) / 1000
  const { child, ended } = processes.all[0]?.program ?? assert.fail()
  child.kill(signal)
  await ended
  const [gap] = await silences([talk], packets)
  t.diagnostic(`${signal}: phones heard nothing for ${Math.round(gap ?? 0)} ms`)
  await stretch(talk, 3_000)
  await talk.atCaller.session.end()
  return { processes, talk, seconds: (performance.now() - startedAt) / 1000, before }
}

/** Seconds of both tones before and after this time. Each is on its own channel. */
const heard = ({ channels, rate }: Wav, atSeconds: number) => {
  const at = Math.round(atSeconds * rate)
  const of = (samples: Float32Array) => Math.min(...[tones.caller, tones.callee].map((hz) => secondsOf(samples, rate, hz, loud / 4)))
  const mixed = channels.reduce((sum, one) => sum.map((sample, index) => sample + (one[index] ?? 0)))
  return { total: mixed.length / rate, before: of(mixed.subarray(0, at)), after: of(mixed.subarray(at)) }
}

/** `lost`: seconds before the end of the process that may be missing. */
const assertWhole = (t: TestContext, { seconds, before }: Scene, wav: Wav | undefined, lost: number): void => {
  const found = heard(wav ?? assert.fail('no sound'), before)
  t.diagnostic(JSON.stringify({ seconds, spokenBefore: before, ...found }))
  assert.ok(Math.abs(found.total - seconds) < 1.5, `${found.total} of ${seconds} s`)
  assert.ok(found.before > before - lost - 0.7, `${found.before} of ${before} s before`)
  assert.ok(found.after > 2, `${found.after} s after`)
}

test('joins the recording of a killed process from its folder when it is back, and says 503 until then', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const scene = await recordAcross(t, {}, { beforeMs: 3_000, signal: 'SIGKILL' })
  const { processes } = scene
  const { id, pending } = await recordingAt(processes, 1)
  assert.equal(pending, true)
  for (const at of [1, 2]) {
    const { status, retryAfter } = await fetchAt(processes, at, id)
    assert.deepEqual([status, retryAfter], [503, '30'])
  }
  await processes.restart(0)
  for (const at of [0, 1, 2]) assertWhole(t, scene, (await fetchAt(processes, at, id)).wav, 1)
  const known = await until('measured', async () => {
    const recording = await recordingAt(processes, 1)
    return recording.pending ? undefined : recording
  })
  const [gap, ...others] = known.gaps ?? []
  assert.deepEqual(others, [])
  assert.ok(gap && Math.abs(gap.at - scene.before) < 1.7 && gap.seconds > 0.2 && gap.at + gap.seconds < scene.seconds, JSON.stringify(gap))
})

test('joins both files of a call that was handed over on SIGTERM', { skip: short }, async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const scene = await recordAcross(t, {}, { beforeMs: 3_000, signal: 'SIGTERM' })
  const { processes } = scene
  const { id } = await recordingAt(processes, 1)
  await processes.restart(0)
  for (const at of [0, 1, 2]) assertWhole(t, scene, (await fetchAt(processes, at, id)).wav, 0.5)
})

test('joins the recording of a killed process from the pieces in the store, and wholly when it is back', { skip: short }, async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const swift = await startSwift(t)
  if (!swift) return
  const settings = {
    OFFHOOK_FILES: `s3://${swift.bucket}/recordings-of-three`,
    OFFHOOK_S3_URL: swift.url,
    OFFHOOK_S3_REGION: swift.region,
    OFFHOOK_S3_KEY: swift.key,
    OFFHOOK_S3_SECRET: swift.secret,
  }
  const scene = await recordAcross(t, settings, { beforeMs: 13_000, signal: 'SIGKILL' })
  const { processes } = scene
  const { id } = await recordingAt(processes, 1)
  const [one, other] = await until('uploaded', async () => {
    const found = await Promise.all([1, 2].map((at) => fetchAt(processes, at, id)))
    return found.every(({ status }) => status === 200) ? found : undefined
  })
  assert.deepEqual(one?.wav, other?.wav)
  assertWhole(t, scene, one?.wav, 6)
  await processes.restart(0)
  const whole = await until('the whole file', async () => {
    const { wav } = await fetchAt(processes, 2, id)
    return wav && heard(wav, scene.before).before > scene.before - 1 ? wav : undefined
  })
  assertWhole(t, scene, whole, 1)
})
