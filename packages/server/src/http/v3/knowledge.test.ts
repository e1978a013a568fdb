import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { pdfOf } from '#test/fax/pdf-documents.ts'
import { bothDatabases, databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const newFlow = async (world: World): Promise<Person & { aiFlowId: string }> => {
  const person = await world.newAccount()
  return { ...person, aiFlowId: (await person.api.createFlow({}, { name: 'Shop' })).id }
}

const markdown = `# Bicycles\n\nWe sell and repair.\n\n## Öffnungszeiten\n\nMontag bis Freitag von 9 bis 18 Uhr.\n\n## Kundenparkplätze\n\nHinter dem Haus.`

for (const database of bothDatabases)
  test(`${database}: adds, indexes, searches, reads and deletes a text of one account`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId, aiFlowId } = await newFlow(world)
    const added = await api.addKnowledge({ aiFlowId }, { text: markdown })
    assert.deepEqual([added.state, added.kind, added.name, added.bytes], ['PENDING', 'markdown', 'Bicycles', Buffer.byteLength(markdown)])
    await world.clock.advance(0)
    const documentId = added.id
    const { text, ...document } = await api.getKnowledge({ aiFlowId, documentId })
    assert.deepEqual([document.state, document.passages], ['READY', 3])
    assert.deepEqual(text[1], { heading: 'Öffnungszeiten', text: 'Montag bis Freitag von 9 bis 18 Uhr.' })
    assert.deepEqual(await api.listKnowledge({ aiFlowId }), { items: [document] })
    const search = async (query: string) => (await api.searchKnowledge({ aiFlowId }, { query })).items
    const [best] = await search('Wo kann ich parken?')
    assert.deepEqual(
      { ...best, score: 0 },
      { documentId, document: 'Bicycles', heading: 'Kundenparkplätze', text: 'Hinter dem Haus.', score: 0 },
    )
    assert.equal((await search('opening, geöffnet'))[0]?.heading, 'Öffnungszeiten')
    assert.deepEqual(await search('xylophone'), [])
    assert.deepEqual(await search('und oder ?!'), [])

    const eve = await newFlow(world)
    const refused = [eve.api.getKnowledge({ aiFlowId, documentId }), eve.api.searchKnowledge({ aiFlowId }, { query: 'x' })]
    await Promise.all(refused.map((one) => assert.rejects(one, { status: 404 })))
    await assert.rejects(eve.api.deleteKnowledge({ aiFlowId, documentId }), { status: 404 })
    assert.deepEqual((await eve.api.searchKnowledge({ aiFlowId: eve.aiFlowId }, { query: 'parken' })).items, [])

    await api.deleteKnowledge({ aiFlowId, documentId })
    await world.clock.advance(0)
    assert.deepEqual(await search('parken'), [])
    await assert.rejects(api.getKnowledge({ aiFlowId, documentId }), { status: 404 })
    await api.addKnowledge({ aiFlowId }, { text: markdown })
    await world.clock.advance(0)
    await api.deleteFlow({ aiFlowId })
    await world.clock.advance(0)
    await world.write(async ({ knowledge }) => {
      assert.deepEqual(await knowledge.listTerms(aiFlowId, ['~park', 'montag']), [])
      assert.deepEqual(await knowledge.listOf(accountId), [])
    })
  })

for (const database of databases)
  test(`${database}: answers other accounts while reading hostile pages, and explains their failures`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, aiFlowId } = await newFlow(world)
    const eve = await world.newAccount()
    const upload = { kind: 'html', base64: Buffer.from('<div>'.repeat(1_800_000)).toString('base64') } as const
    const { id: documentId } = await api.addKnowledge({ aiFlowId }, upload)
    await Promise.all([eve.api.getAccount(), world.clock.advance(0)])
    const { state, problem, text } = await api.getKnowledge({ aiFlowId, documentId })
    assert.deepEqual([state, text], ['FAILED', []])
    assert.match(problem ?? '', /1000 /)
  })

test('reads a PDF by page, and rejects hostile and empty ones with a reason', async (t) => {
  const world = await startWorld(t)
  const { api, aiFlowId } = await newFlow(world)
  const add = async (content: Buffer, kind?: 'pdf' | 'text') => {
    const { id: documentId } = await api.addKnowledge({ aiFlowId }, { base64: content.toString('base64'), ...(kind && { kind }) })
    await world.clock.advance(0)
    return api.getKnowledge({ aiFlowId, documentId })
  }
  const page = (text: string) => ({ content: `BT /F1 12 Tf 72 720 Td (${text}) Tj ET` })
  const read = await add(pdfOf([page('We open at nine.'), page('Refunds take a week.')]))
  assert.deepEqual([read.state, read.kind, read.problem], ['READY', 'pdf', undefined])
  assert.deepEqual(read.text, [
    { page: 1, text: 'We open at nine.' },
    { page: 2, text: 'Refunds take a week.' },
  ])
  assert.equal((await api.searchKnowledge({ aiFlowId }, { query: 'refund' })).items[0]?.page, 2)
  for (const [content, kind, problem] of [
    [Buffer.from('%PDF-1.7 and then nonsense'), undefined, /damaged/],
    [Buffer.from('no pdf'), 'pdf', /no PDF/],
    [pdfOf([{ content: '' }]), undefined, /no text/],
    [Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), 'text', /no text/],
  ] as const) {
    const failed = await add(content, kind)
    assert.deepEqual([failed.state, failed.passages, failed.text], ['FAILED', 0, []])
    assert.match(failed.problem ?? '', problem)
  }
})

test('reads the main text of a web page over redirects', async (t) => {
  const html = `<html><head><title>T</title><style>p{}</style></head><body><nav>Menu</nav><h2>Delivery &amp; post</h2><p>Parcels <b>take</b> a
    week.</p><table><tr><td>Europe</td><td>9 pounds</td></tr></table><script>alert(1)</script><footer>Imprint</footer></body></html>`
  const pages: Record<string, [number, Record<string, string>, string]> = {
    '/': [302, { location: '/page' }, ''],
    '/page': [200, { 'content-type': 'text/html; charset=utf-8' }, html],
    '/round': [302, { location: '/round' }, ''],
    '/inside': [302, { location: 'ftp://example.com/' }, ''],
    '/picture': [200, { 'content-type': 'image/png' }, 'x'],
    '/large': [200, { 'content-type': 'text/plain' }, 'x'.repeat(6_000_000)],
  }
  const customer = await startCustomer(t, ({ path }, response) => {
    const [status, headers, body] = pages[path] ?? [404, {}, '']
    response.writeHead(status, headers).end(body)
  })
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
  const { api, aiFlowId } = await newFlow(world)
  const add = async (url: string) => {
    const { id: documentId } = await api.addKnowledge({ aiFlowId }, { url })
    await world.clock.advance(0)
    return api.getKnowledge({ aiFlowId, documentId })
  }
  const read = await add(`http://${customer.address}/`)
  assert.deepEqual([read.state, read.kind, read.bytes], ['READY', 'html', Buffer.byteLength(html)])
  assert.deepEqual(read.text, [{ heading: 'Delivery & post', text: 'Parcels take a week. Europe 9 pounds' }])
  for (const [path, problem] of [
    ['/round', /on and on/],
    ['/inside', /not http/],
    ['/picture', /image\/png/],
    ['/large', /5 MB/],
    ['/none', /404/],
  ] as const)
    assert.match((await add(`http://${customer.address}${path}`)).problem ?? '', problem)
  assert.match((await add('http://10.0.0.1/')).problem ?? '', /could not be read/)
})

test('rejects unusable documents immediately', async (t) => {
  const world = await startWorld(t)
  const { api, aiFlowId, accountId } = await newFlow(world)
  for (const [body, field] of [
    [{}, 'text'],
    [{ text: 'x', url: 'http://example.com' }, 'text'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ base64: '!!' }, 'base64'],
    [{ base64: Buffer.alloc(20 * 1024 * 1024 + 1).toString('base64') }, 'base64'],
    [{ text: '%PDF-1.7' }, 'text'],
  ] as const)
    await assert.rejects(api.addKnowledge({ aiFlowId }, body), withCode('parameter_invalid', field))
  const document = {
    accountId,
    flowId: aiFlowId,
    name: 'x',
    kind: 'text',
    url: undefined,
    problem: undefined,
    bytes: 1,
    addedAt: 0,
  } as const
  await world.write(async ({ knowledge }) => {
    await knowledge.insert({ ...document, id: 'large', state: 'READY', passages: 0 })
    await knowledge.change('large', { lengths: Array.from({ length: 20_000 }, () => 1) })
  })
  await assert.rejects(api.addKnowledge({ aiFlowId }, { text: 'x' }), { status: 409 })
})
