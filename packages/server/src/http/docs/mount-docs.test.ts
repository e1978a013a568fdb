import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { operations } from '@offhook/contract/api/operations.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { installErrors } from '../reply/errors.ts'
import { mountDocs } from './mount-docs.ts'
import { siteFiles } from './mount-docs.ts'

/** Rendered once for all tests. */
const files = siteFiles()

const docs = (t: { after(close: () => Promise<void>): void }): FastifyInstance => {
  const app = Fastify()
  t.after(() => app.close())
  installErrors(app, () => {})
  mountDocs(app, files)
  return app
}

/** Addresses that a page shows, links to or loads, without fragments. */
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/ (?:href|src|data-index)="([^"#]+)(?:#[^"]*)?"/g)].map(([, address]) => address ?? '')

test('has no broken links and loads nothing from other sites', async (t) => {
  const app = docs(t)
  const seen = new Set<string>()
  const waiting = ['/docs/', '/llms.txt']
  const elsewhere = new Set<string>()
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (seen.has(address)) continue
    seen.add(address)
    const { statusCode, headers, body } = await app.inject(address)
    if (address === '/console/') continue
    assert.equal(statusCode, 200, address)
    const isPage = String(headers['content-type']).startsWith('text/html') && address !== '/docs/api/'
    const links = isPage
      ? addressesIn(body)
      : address.endsWith('.txt')
        ? [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link ?? '')
        : []
    if (isPage) assert.doesNotMatch(body, /<script>|<style|\sstyle=|\son\w+="/, address)
    if (isPage) assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:|\*/, address)
    for (const link of links) {
      if (link.startsWith('/')) waiting.push(link)
      else elsewhere.add(link)
    }
  }
  assert.ok(seen.size > 60, `${seen.size}`)
  for (const link of elsewhere) assert.ok(['http:', 'https:', 'mailto:'].includes(new URL(link).protocol), link)
})

test('revalidates pages and caches their assets for ever', async (t) => {
  const app = docs(t)
  const page = await app.inject('/docs/guides/first-assistant')
  assert.deepEqual([page.headers['cache-control'], page.headers['content-type']], ['no-cache', 'text/html; charset=utf-8'])
  const again = await app.inject({ url: '/docs/guides/first-assistant', headers: { 'if-none-match': String(page.headers.etag) } })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  const [script = ''] = addressesIn(page.body).filter((address) => address.endsWith('.js'))
  const packed = await app.inject({ url: script, headers: { 'accept-encoding': 'br, gzip' } })
  const plain = await app.inject({ url: script, headers: { 'accept-encoding': 'gzip;q=0' } })
  assert.equal(packed.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.deepEqual([packed.headers['content-encoding'], plain.headers['content-encoding']], ['gzip', undefined])
  assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload))
})

test('serves each page as Markdown, too', async (t) => {
  const app = docs(t)
  const { body, headers } = await app.inject('/docs/guides/first-assistant.md')
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(body, /^# Your first assistant\n/)
  const list = await app.inject('/llms.txt')
  assert.match(list.body, /^# Offhook\n\n> /)
  assert.match(list.body, /\]\(\/docs\/guides\/first-assistant\.md\): /)
})

test('redirects old addresses', async (t) => {
  const app = docs(t)
  for (const [from, to] of [
    ['/docs', '/docs/'],
    ['/docs/guides/', '/docs/#guides'],
    ['/docs/scalar.js', '/docs/api/scalar.js'],
    ['/docs/api/openapi.json', '/docs/openapi.json'],
    ['/docs/api/asyncapi.json', '/docs/asyncapi.json'],
  ])
    assert.equal((await app.inject(from ?? '')).headers.location, to)
})

test('serves the API reference with its scripts and no access to other sites', async (t) => {
  const app = docs(t)
  const page = await app.inject('/docs/api/')
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/)
  const scripts = [...page.body.matchAll(/<script src="([^"]+)">/g)].map(([, address]) => address ?? '')
  assert.deepEqual(scripts, ['/docs/api/scalar.js', '/docs/api/start.js'])
  const packed = await app.inject({ url: '/docs/api/scalar.js', headers: { 'accept-encoding': 'gzip' } })
  assert.ok(gunzipSync(packed.rawPayload).length > 2 * packed.rawPayload.length)
  assert.match((await app.inject('/docs/api/start.js')).body, /"withDefaultFonts":false,"telemetry":false/)
})

test('describes every operation in a group of the navigation', async (t) => {
  const app = docs(t)
  const { paths, ...described } = (await app.inject('/docs/openapi.json')).json<{
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
    'x-tagGroups': { tags: string[] }[]
  }>()
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  assert.deepEqual(all.map(({ operationId }) => operationId).toSorted(), Object.keys(operations).toSorted())
  const grouped = new Set(described['x-tagGroups'].flatMap(({ tags }) => tags))
  for (const { operationId, tags } of all)
    assert.ok(
      tags.every((tag) => grouped.has(tag)),
      operationId,
    )
})

test('serves AsyncAPI and JSON schemas of assistant events and actions', async (t) => {
  const app = docs(t)
  assert.equal((await app.inject('/docs/asyncapi.json')).json<{ asyncapi: string }>().asyncapi, '3.0.0')
  for (const name of ['events', 'actions', 'scenario'])
    assert.match((await app.inject(`/docs/api/schemas/${name}.schema.json`)).json<{ $schema: string }>().$schema, /2020-12/)
})

test('serves no other files of the disk', async (t) => {
  const app = docs(t)
  for (const path of [
    '/docs/guides/none',
    '/docs/guides/..%2f..%2fREADME.md',
    '/docs/..%2fREADME.md',
    '/docs/guides/../../package.json',
    '/docs/decisions/house.md',
    '/docs/README',
    '/docs/.npmrc',
  ])
    assert.equal((await app.inject(path)).statusCode, 404, path)
})
