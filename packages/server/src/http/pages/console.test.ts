import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { mountConsole } from './console.ts'
import { installErrors } from '../reply/errors.ts'

const script = 'export const a = 1\n'

/** A build folder, and the server for it. */
const serve = async (t: TestContext, { built = true } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'offhook-console-'))
  t.after(() => rm(folder, { recursive: true }))
  if (built) {
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<head><meta name="csp-nonce" content="{{nonce}}" /></head>')
    await writeFile(join(folder, 'pages.json'), JSON.stringify([{ pattern: '^/flows/[^/]+$', files: ['assets/f-1.js', 'assets/f-2.js'] }]))
    await writeFile(join(folder, 'sources.txt'), 'not for everybody')
    await writeFile(join(folder, 'assets/a-123.js'), script)
    await writeFile(join(folder, 'assets/a-123.js.br'), brotliCompressSync(script))
    await writeFile(join(folder, 'assets/a-123.js.gz'), gzipSync(script))
    await writeFile(join(folder, 'assets/b-456.svg'), '<svg/>')
    await mkdir(join(folder, 'icons'))
    for (const file of ['sw.js', 'manifest.webmanifest', 'icons/offhook-192.png']) await writeFile(join(folder, file), file)
  }
  const app = Fastify()
  t.after(() => app.close())
  installErrors(app, () => {})
  mountConsole(app, folder)
  return app
}

test('serves the page for every path below /console, with a unique nonce for its style elements', async (t) => {
  const app = await serve(t)
  const nonces = new Set<string>()
  for (const url of ['/console/', '/console/flows/17', '/console/operator/nodes?x=1']) {
    const reply = await app.inject(url)
    const nonce = /content="([\w-]{22})"/.exec(reply.body)?.[1] ?? ''
    const policy = String(reply.headers['content-security-policy'])
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}'`))
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
    nonces.add(nonce)
  }
  assert.equal(nonces.size, 3)
  for (const url of ['/', '/console']) {
    const { statusCode, headers } = await app.inject(url)
    assert.deepEqual([statusCode, headers.location], [303, '/console/'])
  }
})

test('preloads the files of the requested page', async (t) => {
  const app = await serve(t)
  const linksOf = async (url: string): Promise<string[]> => (await app.inject(url)).body.match(/<link[^>]+>/g) ?? []
  assert.deepEqual(await linksOf('/console/flows/17?x=1'), [
    '<link rel="modulepreload" crossorigin fetchpriority="low" href="/console/assets/f-1.js">',
    '<link rel="modulepreload" crossorigin fetchpriority="low" href="/console/assets/f-2.js">',
  ])
  assert.deepEqual(await linksOf('/console/flows'), [])
})

test('caches assets for ever and sends them in the best accepted encoding', async (t) => {
  const app = await serve(t)
  const ask = (accepted: string, file = 'a-123.js') =>
    app.inject({ url: `/console/assets/${file}`, headers: { 'accept-encoding': accepted } })
  for (const [accepted, used] of [
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const { headers, rawPayload } = await ask(accepted)
    assert.equal(headers['content-encoding'], used)
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers.vary, 'accept-encoding')
    assert.deepEqual(rawPayload, used === 'br' ? brotliCompressSync(script) : used === 'gzip' ? gzipSync(script) : Buffer.from(script))
  }
  assert.equal((await ask('br', 'b-456.svg')).body, '<svg/>', 'what was not worth compressing is sent as it is')
})

test('serves only assets as files', async (t) => {
  const app = await serve(t)
  for (const file of ['c-789.js', '..%2fsources.txt', '..%2findex.html', 'a-123.js.br', '%00.js', '....js'])
    assert.equal((await app.inject(`/console/assets/${file}`)).statusCode, 404, file)
})

test('explains a console that is not built', async (t) => {
  const app = await serve(t, { built: false })
  const reply = await app.inject('/console/')
  assert.equal(reply.statusCode, 200)
  assert.match(reply.body, /not built/)
  assert.equal((await app.inject('/console/assets/a-123.js')).statusCode, 404)
})

test('serves the files of the web app with their types and revalidates them', async (t) => {
  const app = await serve(t)
  for (const [file, type] of [
    ['sw.js', /javascript/],
    ['manifest.webmanifest', /manifest\+json/],
    ['icons/offhook-192.png', /image\/png/],
  ] as const) {
    const reply = await app.inject(`/console/${file}`)
    assert.match(String(reply.headers['content-type']), type)
    assert.deepEqual([reply.body, reply.headers['cache-control']], [file, 'no-cache'])
  }
  assert.equal((await app.inject('/console/icons/offhook-7.png')).statusCode, 404)
  assert.match(String((await app.inject('/console/sources.txt')).headers['content-type']), /html/)
})
