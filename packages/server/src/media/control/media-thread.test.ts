// test: own process, real time
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { call, startTestMedia, watch, udpKinds } from '#test/phones/media-call.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { PortPool } from '../socket/port-pool.ts'
import { sine } from '../sound/tone.ts'

const openFiles = (): number => readdirSync('/dev/fd').length

for (const udp of udpKinds) {
  test(`${udp}: a dying thread reports its streams as lost, leaves others alone, and is replaced for new calls`, async (t) => {
    const threads: Worker[] = []
    const deaths: (Error | undefined)[] = []
    const media = startTestMedia(t, {
      udp,
      workers: 2,
      streamsPerWorker: 1,
      threadStarted: (thread) => threads.push(thread),
      threadDied: (error) => deaths.push(error),
    })
    const doomed = await call(t, media)
    const spared = await call(t, media)
    const alsoDoomed = await call(t, media, {}, doomed.stream)
    assert.equal(threads.length, 2)
    spared.stream.echo(true)
    spared.phone.talk(spared.stream.localPort, 440)
    await spared.phone.hears(440)
    const playback = doomed.stream.play({ samples: sine([600], 60_000, 8000) })
    const recording = doomed.stream.record('/dev/null')
    const dtmf = alsoDoomed.stream.sendDtmf('123456789')
    const room = media.openRoom()
    room.add(doomed.stream)
    await doomed.phone.hears(600)
    await threads[0]!.terminate()
    await Promise.all([doomed.onEvent('lost'), alsoDoomed.onEvent('lost')])
    assert.equal((await playback.done).completed, false)
    assert.equal((await recording.stop()).truncated, true)
    await dtmf
    assert.equal(deaths.length, 1)
    assert.equal((await doomed.stream.figures()).packetsSent, 0)
    await doomed.stream.close()
    room.close()
    spared.phone.forget()
    await spared.phone.hears(440)
    assert.ok(!spared.events.includes('lost'))
    const next = await call(t, media, {}, doomed.stream)
    next.stream.echo(true)
    next.phone.talk(next.stream.localPort, 1000)
    await next.phone.hears(1000)
    assert.equal(threads.length, 3)
    assert.deepEqual(
      doomed.events.filter((event) => event === 'lost'),
      ['lost'],
    )
  })
}

test('opens a stream on the thread of another that is still being opened', async (t) => {
  const threads: Worker[] = []
  const media = startTestMedia(t, { workers: 2, streamsPerWorker: 1, threadStarted: (thread) => threads.push(thread) })
  const first = media.openStream(watch().observer)
  const streams = await Promise.all([first, media.openStream(watch().observer, { near: first })])
  assert.equal(threads.length, 1)
  const room = media.openRoom()
  for (const stream of streams) room.add(stream)
  assert.equal(media.streams, 2, 'none between threads')
  room.close()
})

test('closes the sockets of a dead thread', async (t) => {
  let thread: Worker | undefined
  const free = await freePorts(t, 3)
  const first = free + (free % 2)
  const media = startTestMedia(t, { ports: new PortPool({ first, last: first + 1 }), threadStarted: (started) => (thread = started) })
  const { observer, onEvent: notifications } = watch()
  const stream = await media.openStream(observer)
  const files = openFiles()
  await thread!.terminate()
  await notifications('lost')
  assert.ok(openFiles() <= files - 2)
  const again = await media.openStream(watch().observer)
  assert.equal(again.localPort, stream.localPort)
})

test('starts no thread before the first stream, and leaves none after close', async (t) => {
  const threads: Worker[] = []
  const media = startTestMedia(t, { threadStarted: (thread) => threads.push(thread) })
  const room = media.openRoom()
  assert.deepEqual(await media.pacing(), { p50: 0, p99: 0, frames: 0 })
  assert.equal(threads.length, 0)
  const stream = await media.openStream(watch().observer)
  const exited = new Promise((resolve) => threads[0]!.once('exit', resolve))
  room.add(stream)
  await media.close()
  await exited
  await stream.close()
})
