import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamSettings, Media, MediaStream } from '#media/engine.ts'
import { startMedia } from '#media/control/media.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { sine } from '#media/sound/tone.ts'

/** The media engine with a number of calls to one peer: alone, or (`service`) with everything else in one process. */
export type MediaMode = 'play' | 'record' | 'echo' | 'bridge'

const [mode = 'play', calls = '150', remotePort = '0', beside] = process.argv.slice(2)
/** UDP implementation; default: the best available. */
const udp = process.env.OFFHOOK_MEDIA_UDP === 'dgram' ? 'dgram' : undefined

const startService = async () => {
  const { readSettings } = await import('#settings/config.ts')
  const { start } = await import('#wiring/main.ts')
  return start(readSettings(process.env))
}

const service = beside === 'service' ? await startService() : undefined
const media: Media = startMedia({ address: '127.0.0.1', ports: new PortPool({ first: 20_000, last: 59_999 }), ...(udp && { udp }) })
const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
const music = { samples: sine([440, 600], 10_000, 8000) }

const settings: StreamSettings = {
  remote: { address: '127.0.0.1', port: Number(remotePort) },
  codec: 'PCMA',
  payloadType: 8,
  dtmfPayloadType: 101,
  ptimeMs: 20,
  send: true,
  receive: true,
  srtp: undefined,
  alsoFrom: [],
}

const openLeg = async (near?: MediaStream): Promise<MediaStream> => {
  const stream = await media.openStream({ dtmf() {}, silent() {}, lost() {} }, { near })
  stream.configure(settings)
  return stream
}

const openCall = async (index: number): Promise<void> => {
  const stream = await openLeg()
  if (mode === 'play' || mode === 'record') stream.play(music, { loop: true })
  if (mode === 'record') stream.record(join(folder, `${index}.wav`), 2)
  if (mode === 'echo') stream.echo(true)
  if (mode !== 'bridge') return
  const room = media.openRoom()
  room.add(stream)
  room.add(await openLeg(stream))
}

const warmUp = await openLeg()
await warmUp.close()
const before = process.memoryUsage.rss()
for (let index = 0; index < Number(calls); index++) await openCall(index)
console.log(JSON.stringify({ udp: media.udp, before, http: service?.http }))

process.on('SIGTERM', () => {
  void Promise.all([media.close(), service?.close()])
    .then(() => rm(folder, { recursive: true, force: true }))
    .then(() => process.exit())
})
