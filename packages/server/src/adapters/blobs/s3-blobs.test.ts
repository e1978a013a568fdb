import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { blobsSuite } from '#test/conformance/blobs.ts'
import { startSwift, storeOfEnvironment, type S3Peer, type SwiftPeer } from '#test/peers/swift.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import type { Blobs } from '#core/kernel/ports/files.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { s3Blobs, type S3Blobs } from './s3-blobs.ts'
import type { S3Options } from './s3-wire.ts'

const open = (t: TestContext, peer: S3Peer, more: Partial<S3Options> = {}): S3Blobs => {
  const { url, key, secret, region, bucket } = peer
  const common = { prefix: 'offhook/', style: 'path', encryption: undefined, clock: realClock() } as const
  const blobs = s3Blobs({ url, key, secret, region, bucket, ...common, ...more })
  t.after(() => blobs.close())
  return blobs
}

/** Shared by all tests of this file; started on first use. */
let swift: Promise<SwiftPeer | undefined> | undefined
const cleanups: (() => unknown)[] = []
after(async () => {
  for (const cleanUp of cleanups) await cleanUp()
})
const sharedSwift = (t: TestContext): Promise<SwiftPeer | undefined> =>
  (swift ??= startSwift(t, { after: (cleanUp) => void cleanups.push(cleanUp) }))

const openSwift = async (t: TestContext, more: Partial<S3Options> = {}): Promise<S3Blobs | undefined> => {
  const peer = await sharedSwift(t)
  return peer && open(t, peer, more)
}

blobsSuite({ name: 'swift', open: openSwift })

const real = storeOfEnvironment()
if (real) blobsSuite({ name: 'real store', open: async (t) => open(t, real) })

/** .localhost has an address on some machines only. */
const loopback: S3Options['lookup'] = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])

const inHostName = { style: 'host', lookup: loopback } as const

blobsSuite({
  name: 'swift, bucket in the host name',
  open: async (t) => {
    const peer = await sharedSwift(t)
    if (!peer) return undefined
    const blobs: Blobs = open(t, { ...peer, url: peer.url.replace('127.0.0.1', 'localhost') }, inHostName)
    delete blobs.link // fetch does not resolve its host
    return blobs
  },
})

test('reports a failure in one sentence that names the setting', async (t) => {
  const wrong: [Partial<S3Options>, RegExp][] = [
    [{ secret: 'guessed' }, /OFFHOOK_S3_SECRET does not belong to OFFHOOK_S3_KEY/],
    [{ bucket: 'nowhere' }, /There is no bucket nowhere at http.*OFFHOOK_FILES/],
    [{ region: 'eu-west-7' }, /not in the region eu-west-7: set OFFHOOK_S3_REGION to us-east-1/],
    [{ wallTime: () => Date.now() - 3_600_000 }, /clock of this machine and that of the store differ by 3[56]\d\d seconds/],
    [{ url: 'http://127.0.0.1:9' }, /127\.0\.0\.1:9 \(OFFHOOK_S3_URL\) cannot be reached: nothing listens there/],
  ]
  for (const [more, message] of wrong) {
    const blobs = await openSwift(t, { clock: impatient(), ...more })
    if (!blobs) return
    await assert.rejects(blobs.check(), { name: 'BlobsFailure', message })
  }
  const encrypting = await openSwift(t, { encryption: { algorithm: 'AES256' } })
  await assert.rejects(async () => encrypting?.put('recordings/1/a.wav', sound(), { type: 'audio/wav' }), /OFFHOOK_S3_SSE/)
})

async function* sound(): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from('sound')
}

/** Pauses take no time; timeouts are never reached. */
const impatient = (): Clock => ({
  ...realClock(),
  after(ms, task) {
    const soon = ms < 60_000 ? setImmediate(task) : undefined
    return () => clearImmediate(soon)
  },
})

/** A store with scripted answers that records its requests. */
const scriptedStore = async (t: TestContext, answer: (response: ServerResponse, count: number) => void) => {
  const asked: { method: string; url: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
    request.resume().on('end', () => answer(response, asked.length))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { asked, peer: { url: `http://127.0.0.1:${port}`, key: 'k', secret: 's', region: 'eu-central-1', bucket: 'b' } }
}

test('asks the store to encrypt its files', async (t) => {
  const store = await scriptedStore(t, (response, count) =>
    response.writeHead(200, { etag: '"e"', 'content-length': count === 1 ? 0 : 5 }).end(),
  )
  const encryption = { algorithm: 'aws:kms', keyId: 'arn:aws:kms:key/1' } as const
  await open(t, store.peer, { encryption }).put('recordings/1/a.wav', sound(), { type: 'audio/wav' })
  const headers = store.asked[0]?.headers ?? {}
  assert.equal(store.asked[0]?.url, '/b/offhook/recordings/1/a.wav')
  assert.deepEqual(
    [headers['x-amz-server-side-encryption'], headers['x-amz-server-side-encryption-aws-kms-key-id']],
    ['aws:kms', 'arn:aws:kms:key/1'],
  )
  assert.match(headers.authorization ?? '', /SignedHeaders=[^,]*x-amz-server-side-encryption;/)
})

test('retries a busy store with growing pauses, but not a rejection', async (t) => {
  const busy = await scriptedStore(t, (response, count) => response.writeHead(count < 3 ? 503 : 204).end())
  await open(t, busy.peer, { clock: impatient() }).remove('recordings/1/a.wav')
  assert.equal(busy.asked.length, 3)
  const closed = await scriptedStore(t, (response) => response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>'))
  await assert.rejects(open(t, closed.peer, { clock: impatient() }).remove('recordings/1/a.wav'), /PutObject, DeleteObject/)
  assert.equal(closed.asked.length, 1)
})
