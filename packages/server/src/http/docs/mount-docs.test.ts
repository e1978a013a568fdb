import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { operations } from '@offhook/contract/api/operations.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { docsFolder } from '#places.ts'
import { installErrors } from '../reply/errors.ts'
import { mountDocs } from './mount-docs.ts'

const docs = (t: { after(close: () => Promise<void>): void }): FastifyInstance => {
  const app = Fastify()
  t.after(() => app.close())
  installErrors(app, () => {})
  mountDocs(app)
  return app
}

test('the reference is served with its scripts, with and without gzip, and may reach no other site', async (t) => {
  const app = docs(t)
  const page = await app.inject('/docs/')
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/)
  const scripts = [...page.body.matchAll(/<script src="([^"]+)">/g)].map(([, address]) => address ?? '')
  assert.deepEqual(scripts, ['/docs/scalar.js', '/docs/start.js'])
  const packed = await app.inject({ url: '/docs/scalar.js', headers: { 'accept-encoding': 'br, gzip' } })
  const plain = await app.inject({ url: '/docs/scalar.js', headers: { 'accept-encoding': 'gzip;q=0' } })
  assert.deepEqual([packed.headers['content-encoding'], plain.headers['content-encoding']], ['gzip', undefined])
  assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2)
  assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload))
  const start = await app.inject('/docs/start.js')
  assert.match(start.body, /"withDefaultFonts":false,"telemetry":false/)
  assert.equal((await app.inject('/docs')).headers.location, '/docs/')
})

test('the description has every operation, in a group of the navigation', async (t) => {
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

test('llms.txt names every guide, and each of its links leads somewhere', async (t) => {
  const app = docs(t)
  const { body, headers } = await app.inject('/llms.txt')
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(body, /^# Offhook\n\n> /)
  const links = [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address ?? '')
  for (const address of links) assert.equal((await app.inject(address)).statusCode, 200, address)
  const guides = (await readdir(join(docsFolder, 'guides'))).filter((name) => name !== 'README.md')
  assert.deepEqual(
    links.filter((address) => address.startsWith('/docs/guides/')).toSorted(),
    guides.map((name) => `/docs/guides/${name}`).toSorted(),
  )
})

test('links between guides work where they are served', async (t) => {
  const app = docs(t)
  const guides = await readdir(join(docsFolder, 'guides'))
  for (const guide of guides) {
    const { body } = await app.inject(`/docs/guides/${guide}`)
    for (const [, link = ''] of body.matchAll(/\]\(([\w./-]+\.(?:md|json))(?:#[\w-]+)?\)/g)) {
      const { pathname } = new URL(link, `http://x/docs/guides/${guide}`)
      if (pathname.startsWith('/docs/')) assert.equal((await app.inject(pathname)).statusCode, 200, `${guide}: ${link}`)
    }
  }
})

test('nothing else of the disk is served', async (t) => {
  const app = docs(t)
  for (const path of [
    '/docs/guides/none.md',
    '/docs/guides/..%2f..%2fREADME.md',
    '/docs/..%2fREADME.md',
    '/docs/api',
    '/docs/decisions/house.md',
  ])
    assert.equal((await app.inject(path)).statusCode, 404, path)
})
