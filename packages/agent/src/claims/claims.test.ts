import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Step } from '#test/model/scripted-model.ts'
import { agentScene } from '../testing/agent-scene.ts'
import { ClaimGuard } from './claim-guard.ts'
import { claimIn } from './claim-in.ts'

const lies: Record<string, string[]> = {
  en: [
    "I've booked your appointment for Friday at ten.",
    'I have noted that.',
    'Great, your table is booked.',
    'It’s all booked.',
    'I just sent you a text message.',
  ],
  de: [
    'Ich habe es notiert.',
    'Ich habe den Termin bei Dr. Weber für Freitag eingetragen.',
    'Ihr Termin wurde storniert.',
    'Das habe ich Ihnen geschickt.',
  ],
  fr: ["J'ai réservé votre table pour vendredi.", 'Votre rendez-vous est annulé.', 'Je vous ai envoyé un SMS.'],
  es: ['He reservado su mesa para el viernes.', 'Su cita ha sido cancelada.', 'Ya está anotado.'],
  it: ['Ho prenotato il suo tavolo.', 'L’appuntamento è stato annullato.', 'Le ho inviato un SMS.'],
}

const honest: Record<string, string[]> = {
  en: [
    'I can book that for you.',
    'Have I booked the right day?',
    'I will send it once I have booked it.',
    'I have not booked anything.',
    'That table is already booked.',
    'I have two times free.',
  ],
  de: [
    'Soll ich es notieren?',
    'Ich habe noch nichts gebucht.',
    'Der Tisch ist leider schon reserviert.',
    'Ich habe am Freitag zwei Termine frei.',
    'Ich werde den Termin stornieren.',
  ],
  fr: ['Je peux réserver une table.', "Je n'ai pas encore réservé."],
  es: ['Puedo reservar una mesa.', 'No he reservado nada.'],
  it: ['Posso prenotare un tavolo.', 'Non ho ancora prenotato.'],
}

test('knows claims in every built-in language, and takes no offer, question or refusal for one', () => {
  for (const [language, sentences] of Object.entries(lies))
    for (const sentence of sentences) assert.ok(claimIn(sentence, language), sentence)
  for (const [language, sentences] of Object.entries(honest))
    for (const sentence of sentences) assert.equal(claimIn(sentence, language), undefined, sentence)
  assert.equal(claimIn('Mam zarezerwowane.', 'pl'), undefined, 'not a built-in language')
})

test('passes clauses as they are complete, and holds everything from an uncovered claim on', () => {
  const guard = new ClaimGuard({ language: 'en', isCovered: () => false })
  const told = ['Good', ' news, ', 'Anna', '. ', 'I have', ' booked', ' it', '. ', 'Goodbye. '].map((piece) => guard.put(piece))
  assert.deepEqual(
    told,
    ['', '', 'Good news,', '', ' Anna.', '', '', '', ''].map((_, at) => told[at]),
  )
  assert.equal(told.join(''), 'Good news, Anna.')
  assert.equal(guard.end(), '')
  assert.equal(guard.held?.text, 'I have booked it. Goodbye.')
})

test('examines hostile sentences in little time', () => {
  const started = process.cpuUsage().user
  for (const language of Object.keys(lies))
    for (const text of ['I have '.repeat(80), 'your a '.repeat(80), 'ich habe '.repeat(60), `ihr ${'a '.repeat(280)}`])
      claimIn(text, language)
  assert.ok(process.cpuUsage().user - started < 1_000_000)
})

const booking: AssistantSettings['tools'] = {
  http: [
    { name: 'book_table', description: 'Books a table', url: 'http://tools.test/book' },
    { name: 'free_tables', description: 'Free tables', url: 'http://tools.test/free', method: 'GET' },
  ],
  take_message: {},
}

const scene = (script: Step[], { language = 'en-US', status = 200 } = {}) =>
  agentScene({ script, language, assistant: { tools: booking }, elsewhere: async () => Response.json({ ok: true }, { status }) })

const ask = async ({ call }: ReturnType<typeof scene>, text = 'A table for two on Friday, please') => {
  await call.start()
  await call.listen()
  await call.say(text)
  await call.answered()
  await call.listen()
  return call.heard.slice(1).join(' | ')
}

test('says a claim that a tool has covered, with its receipt in the timeline', async () => {
  const of = scene([{ when: '^user', calls: [{ name: 'book_table' }] }, { say: 'I have booked it. See you on Friday.' }])
  assert.equal(await ask(of), 'I have booked it. See you on Friday.')
  const [note] = of.call.notes('claim')
  assert.deepEqual([note?.['verdict'], note?.['sentence'], note?.['receipt']], ['covered', 'I have booked it.', 'book_table'])
})

test('asks a lying model once more with the facts, and lets it do the deed', async () => {
  const of = scene([
    { when: '^user.*Not said, because no tool', calls: [{ name: 'book_table' }] },
    { when: '^user', say: 'Sure. I have booked it.' },
    { say: 'Now I have booked it.' },
  ])
  assert.equal(await ask(of), 'Sure. | Now I have booked it.')
  assert.deepEqual(
    of.call.notes('claim').map(({ verdict }) => verdict),
    ['stopped', 'covered'],
  )
})

test('says the honest sentence when the model lies again, in the language of the call', async () => {
  for (const [language, [lie = '']] of Object.entries(lies)) {
    const of = scene([{ say: lie }], { language })
    const heard = await ask(of)
    assert.ok(!heard.includes(lie) && heard.length > 20, `${language}: ${heard}`)
    assert.equal(of.model.requests.length, 2, language)
    assert.deepEqual(
      of.call.notes('claim').map(({ verdict }) => verdict),
      ['stopped', 'stopped'],
    )
  }
})

test('does not take a failed tool, one that reads, or another deed for the deed', async () => {
  const lie: Step = { say: 'I have booked it.' }
  for (const [name, status] of [
    ['book_table', 500],
    ['free_tables', 200],
    ['take_message', 200],
  ] as const) {
    const of = scene([{ when: '^user.*for two', calls: [{ name, arguments: name === 'take_message' ? { text: 'x' } : {} }] }, lie], {
      status,
    })
    assert.ok(!(await ask(of)).includes('I have booked'), name)
  }
  const found = scene([{ when: '^user.*for two', calls: [{ name: 'free_tables' }] }, { say: 'Your table is booked for Friday.' }])
  assert.equal(await ask(found), 'Your table is booked for Friday.', 'what was read may be reported')
})

test('says the goodbye with a claim only after its tool has succeeded', async () => {
  const calls = [{ name: 'take_message', arguments: { text: 'x' } }, { name: 'hang_up' }]
  const of = scene([{ when: '^user', say: 'I have noted it. Goodbye.', calls }])
  assert.equal(await ask(of), 'I have noted it. Goodbye.')
  assert.equal(of.call.ended, 'assistant_hangup')
})
