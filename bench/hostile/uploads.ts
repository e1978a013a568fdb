import { fedWith, type Entry } from './entry.ts'
import type { Service } from './service.ts'
import { filled, jsonShapes, textShapes, type Shapes } from './shapes.ts'

const megabyte = 2 ** 20
const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')

/** Files of maximum size, and their processing. */
export const uploadEntries = (service: Service): Entry[] => [
  { name: 'knowledge: a document, read and indexed', bytes: 20 * megabyte, shapes: knowledgeShapes(service) },
  { name: 'knowledge: a question to 9,000 passages of the same words', bytes: 1_000, shapes: questionShapes(service) },
  { name: 'contacts: vCard', bytes: 5 * megabyte, shapes: contactShapes(service, 'VCARD', vcardShapes) },
  { name: 'contacts: CSV', bytes: 5 * megabyte, shapes: contactShapes(service, 'CSV', csvShapes) },
  { name: 'contacts: export and duplicates of 10,000', bytes: 5 * megabyte, shapes: keptContacts(service) },
  { name: 'fax: PDF', bytes: 10 * megabyte, shapes: faxShapes(service) },
  { name: 'greeting: WAV', bytes: 2 * megabyte, shapes: greetingShapes(service) },
  { name: 'porting: PDF', bytes: 5 * megabyte, shapes: portingShapes(service) },
  { name: 'MCP request', bytes: 600 * 1024, shapes: mcpShapes(service) },
  { name: 'OAuth form', bytes: 16 * 1024, shapes: formShapes(service, '/v1/authorization/oauth/token', 16 * 1024) },
  { name: 'form', bytes: 64 * 1024, shapes: formShapes(service, '/v1/contacts', 64 * 1024) },
  { name: 'query and headers', bytes: 16 * 1024, shapes: queryShapes(service) },
]

const documents: Record<string, [kind: string, content: () => string]> = {
  'open elements': ['html', () => filled('<div>', 9 * megabyte)],
  'closed elements': ['html', () => filled('<p>a</p>', 9 * megabyte)],
  attributes: ['html', () => `<p ${filled('a="b" ', 9 * megabyte)}>x</p>`],
  entities: ['html', () => filled('&amp;', 9 * megabyte)],
  'long word': ['text', () => filled('x', 20 * megabyte)],
  'plain words': ['text', () => words(9 * megabyte)],
  'blank lines': ['text', () => filled('\n \n', 9 * megabyte)],
  headings: ['markdown', () => filled('# a\n', 9 * megabyte)],
  links: ['markdown', () => filled('[a](b', 9 * megabyte)],
  'no PDF': ['pdf', () => `%PDF-1.7\n${filled('1 0 obj ', 9 * megabyte)}`],
}

function* knowledgeShapes(service: Service): Generator<readonly [string, () => unknown]> {
  for (const [shape, [kind, content]] of Object.entries(documents)) {
    const body = JSON.stringify({ kind, base64: base64(content()) })
    yield [shape, () => added(service, body)]
  }
}

/** Waits until the document is indexed, then deletes it. */
const added = async ({ ask, ids, world }: Service, body: string): Promise<void> => {
  const path = `/v3/ai-flows/${ids.aiFlowId}/knowledge`
  const { text } = await ask({ path, body })
  await world.clock.advance(0)
  const { id } = JSON.parse(text) as { id: string }
  await ask({ method: 'DELETE', path: `${path}/${id}` })
  await world.clock.advance(0)
}

/** Seeded, so every run uses the same numbers. */
let seed = 1
const chance = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below

const words = (bytes: number): string => {
  const known = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 3 + chance(8) }, () => String.fromCharCode(97 + chance(26))).join(''),
  )
  const sentences: string[] = []
  for (let length = 0; length < bytes; length += sentences.at(-1)?.length ?? 1)
    sentences.push(`${Array.from({ length: 12 }, () => known[chance(known.length)]).join(' ')}. `)
  return sentences.join('')
}

function* questionShapes(service: Service): Generator<readonly [string, () => unknown]> {
  const { ids, world, ask } = service
  const flow = ids.aiFlowId ?? ''
  // Twenty-four words of forty letters in every passage.
  const long = Array.from({ length: 24 }, (_, nth) =>
    Array.from({ length: 40 }, (__, at) => String.fromCharCode(97 + ((nth * 7 + at * 11 + nth * at) % 26))).join(''),
  )
  let isThere = false
  const prepare = async (): Promise<void> => {
    if (isThere) return
    isThere = true
    const content = filled(`${long.join(' ')}. `, 9 * megabyte)
    await ask({ path: `/v3/ai-flows/${flow}/knowledge`, body: JSON.stringify({ kind: 'text', base64: base64(content) }) })
    await world.clock.advance(0)
  }
  const asking = async (query: string): Promise<void> => {
    await prepare()
    await ask({ path: `/v3/ai-flows/${flow}/knowledge/search`, body: JSON.stringify({ query }) })
  }
  yield ['preparation', prepare]
  yield ['words that every passage has', () => asking(long.join(' ').slice(0, 1_000))]
  yield* fedWith(textShapes(1_000), asking)
}

const vcardShapes = (bytes: number): Record<string, string> => {
  const card = (...lines: string[]): string => `BEGIN:VCARD\n${lines.join('\n')}\nEND:VCARD\n`
  return {
    backslashes: card(`FN:${filled('\\', bytes - 100)}`),
    'escaped semicolons': card(`N:${filled('\\;', bytes - 100)}`),
    'folded lines': card(`FN:x\n${filled(' y\n', bytes - 100)}`),
    'blank lines': filled('\n', bytes),
    'carriage returns': filled('\r', bytes),
    'small cards': filled(card('FN:a'), bytes),
    'many numbers': filled(card('FN:a', ...Array.from({ length: 20 }, (_, at) => `TEL:+4921163550${100 + at}`)), bytes),
    'many names': filled(card(`N:${filled(';', 30_000)}`), bytes),
    photograph: card('FN:a', `PHOTO:${filled('A', bytes - 100)}`),
    'quoted parameters': card(`TEL${filled(';"', bytes - 100)}:1`),
    'quoted-printable': card(`FN;QUOTED-PRINTABLE:${filled('=41', 30_000)}`).repeat(100),
  }
}

const csvShapes = (bytes: number): Record<string, string> => ({
  'short lines': `Name\n${filled('a\n', bytes - 5)}`,
  'blank lines': `Name\n${filled('\n', bytes - 5)}`,
  quotes: filled('"', bytes),
  'open quotes': `Name\n${filled('"a\n', bytes - 5)}`,
  'quoted cells': `Name\n${filled('"a""b",', bytes - 5)}`,
  separators: `Name\n${filled(',', bytes - 5)}`,
  'long cell': `Name\n${filled('x', bytes - 5)}`,
  'many numbers':
    `Name,${Array.from({ length: 20 }, (_, at) => `Phone ${at}`).join(',')}\n${Array.from({ length: 19_000 }, (_, nth) => `P${nth},${Array.from({ length: 17 }, (__, at) => `0211635${String(nth % 100).padStart(3, '0')}${at % 10}`).join(',')}\n`).join('')}`.slice(
      0,
      bytes,
    ),
})

function* contactShapes(
  service: Service,
  format: 'VCARD' | 'CSV',
  shapes: (bytes: number) => Record<string, string>,
): Generator<readonly [string, () => unknown]> {
  for (const [shape, content] of Object.entries(shapes(5 * megabyte - 100))) {
    const body = JSON.stringify({ format, base64Content: base64(content), dryRun: shape !== 'many numbers' })
    yield [shape, () => service.ask({ path: '/v1/contacts/import', body })]
  }
}

function* keptContacts({ ask, world, ada: { accountId, userId } }: Service): Generator<readonly [string, () => unknown]> {
  const numbers = Array.from({ length: 20 }, (_, at) => `+49211635${10_000 + at}`)
  const twins = Array.from({ length: 500 }, () => ({ owner: userId, shared: false, name: 'Twin', emails: [], numbers }))
  let isThere = false
  yield [
    'preparation',
    async () => {
      if (isThere) return
      isThere = true
      for (let batch = 0; batch < 20; batch++)
        await world.write(({ contacts }) =>
          contacts.insert(
            accountId,
            twins.map((one, at) => ({ id: `twin-${batch}-${at}`, ...one })),
            0,
          ),
        )
    },
  ]
  yield ['duplicates', () => ask({ method: 'GET', path: '/v1/contacts/duplicates' })]
  yield ['vCard', () => ask({ method: 'GET', path: '/v1/contacts/export?format=vcard' })]
  yield ['CSV', () => ask({ method: 'GET', path: '/v1/contacts/export?format=csv' })]
}

const pdfs = (bytes: number): Record<string, string> =>
  Object.fromEntries(
    ['1', '1 1 ', '1 0 obj ', '/Type /Page ', '/Count 1 ', '1 0 obj /Type /ObjStm stream\n', 'stream\nendstream ', '\0'].map((unit) => [
      JSON.stringify(unit),
      `%PDF-1.7\n${filled(unit, bytes - 100)}\n%%EOF\n`,
    ]),
  )

function* faxShapes({ ask, ids }: Service): Generator<readonly [string, () => unknown]> {
  for (const [shape, content] of Object.entries(pdfs(10 * megabyte))) {
    const body = JSON.stringify({ faxlineId: ids.faxlineId, recipient: '+493023125993', filename: 'a.pdf', base64Content: base64(content) })
    yield [shape, () => ask({ path: '/v1/sessions/fax', body })]
  }
}

function* greetingShapes({ ask, ids }: Service): Generator<readonly [string, () => unknown]> {
  const file = Buffer.alloc(2 * megabyte)
  file.write('RIFF', 0, 'latin1')
  file.write('WAVE', 8, 'latin1')
  const path = `/v1/${ids.userId}/phonelines/${ids.phonelineId}/voicemails/${ids.voicemailId}/greetings`
  for (const [shape, content] of Object.entries({ 'empty chunks': file.toString('base64'), 'no WAV': filled('QUJD', 2 * megabyte) }))
    yield [shape, () => ask({ path, body: JSON.stringify({ alias: 'x', base64Content: content }) })]
}

function* portingShapes({ ask, ids }: Service): Generator<readonly [string, () => unknown]> {
  for (const [shape, content] of Object.entries(pdfs(5 * megabyte))) {
    const body = JSON.stringify({ name: 'a.pdf', base64Content: base64(content) })
    yield [shape, () => ask({ path: `/v1/portings/${ids.portingId}/documents`, body })]
  }
}

function* mcpShapes({ ask }: Service): Generator<readonly [string, () => unknown]> {
  const call = (json: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_calls","arguments":${json}}}`
  for (const [shape, json] of jsonShapes(600 * 1024 - 200)) {
    yield [shape, () => ask({ path: '/mcp', body: json })]
    yield [`arguments of ${shape}`, () => ask({ path: '/mcp', body: call(json) })]
  }
}

const forms = (bytes: number): Shapes =>
  Object.entries({
    fields: Array.from({ length: Math.floor(bytes / 8) }, (_, at) => `f${at.toString(36)}=`)
      .join('&')
      .slice(0, bytes),
    'empty fields': filled('&', bytes),
    'percent signs': `a=${filled('%41', bytes - 2)}`,
    'long field': `a=${filled('x', bytes - 2)}`,
  })

const formShapes = (service: Service, path: string, bytes: number): Entry['shapes'] =>
  fedWith(forms(bytes), (body) => service.ask({ path, body, type: 'application/x-www-form-urlencoded' }))

const queryShapes = (service: Service): Entry['shapes'] =>
  fedWith(forms(14 * 1024), (query) => service.ask({ method: 'GET', path: `/v1/contacts?${query}` }))
