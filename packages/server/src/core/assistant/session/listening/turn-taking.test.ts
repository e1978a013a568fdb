import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { TurnTaking, type Pace, type TurnEffect } from './turn-taking.ts'

const ms = (milliseconds: number): number => milliseconds * 8
const pace = (minMs: number): Pace => ({ shortestMs: () => minMs, askAfterMs: (turnMs) => (turnMs < 4000 ? 120 : 200) })

test('starts a turn shortly before the detected voice, but not inside the previous turn', () => {
  const turns = new TurnTaking(pace(500))
  assert.deepEqual(turns.started(ms(1000)), [{ do: 'begin' }])
  assert.equal(turns.unaskedFrom, ms(700))
  assert.deepEqual(turns.stopped(ms(2000)), [])
  assert.equal(turns.due, ms(2120))
  assert.deepEqual(turns.reached(), [{ do: 'ask', from: ms(700), to: ms(2120) }])
  assert.equal(turns.due, undefined, 'nothing is to be done before the answer')
  turns.transcribed('words', 500)
  assert.equal(turns.due, ms(2500))
  assert.deepEqual(turns.reached(), [{ do: 'end', words: 'words', last: ms(2000), endpoint: ms(2500) }])
  assert.equal(turns.open, false)
  turns.started(ms(2400))
  assert.equal(turns.unaskedFrom, ms(2120), 'what was asked for already is not asked for again')
})

test('ignores the transcript of a pause when the caller continues', () => {
  const turns = new TurnTaking(pace(500))
  turns.started(0)
  turns.stopped(ms(500))
  turns.reached()
  assert.deepEqual(turns.started(ms(800)), [{ do: 'forget' }])
  assert.deepEqual(turns.transcribed('half', 500), [])
  turns.stopped(ms(1500))
  assert.deepEqual(turns.reached(), [{ do: 'ask', from: 0, to: ms(1620) }])
})

test('keeps two turns apart with a slow recogniser: the words decide whether the pause was long enough', () => {
  const pausing = (): TurnTaking => {
    const turns = new TurnTaking(pace(300))
    turns.started(ms(1000))
    turns.stopped(ms(2000))
    turns.reached()
    assert.deepEqual(turns.started(ms(2700)), [], 'its words are still awaited')
    turns.stopped(ms(3000))
    return turns
  }
  const two = pausing()
  const end = { do: 'end', words: 'hello', last: ms(2000), endpoint: ms(2500) }
  assert.deepEqual(two.transcribed('hello', 500), [end, { do: 'begin' }])
  assert.deepEqual(two.reached(), [{ do: 'ask', from: ms(2400), to: ms(3120) }])
  const one = pausing()
  assert.deepEqual(one.transcribed('my name is', 1000), [])
  assert.deepEqual(one.reached(), [{ do: 'ask', from: ms(700), to: ms(3120) }])
})

test('handles late detector results after the steps that were due', () => {
  const turns = new TurnTaking(pace(500))
  turns.started(0)
  turns.stopped(ms(1000))
  assert.deepEqual(turns.started(ms(1800)), [{ do: 'ask', from: 0, to: ms(1120) }])
  assert.deepEqual(turns.transcribed('one', 500), [{ do: 'end', words: 'one', last: ms(1000), endpoint: ms(1500) }, { do: 'begin' }])
  turns.stopped(ms(2500))
  turns.reached()
  turns.transcribed('two', 500)
  assert.deepEqual(turns.started(ms(4000)), [{ do: 'end', words: 'two', last: ms(2500), endpoint: ms(3000) }, { do: 'begin' }])
})

test('ignores inconsistent detector results', () => {
  const turns = new TurnTaking(pace(500))
  assert.deepEqual([turns.stopped(5), turns.transcribed('what', 500), turns.reached(), turns.due], [[], [], [], undefined])
  turns.started(ms(1000))
  assert.deepEqual(turns.started(ms(1100)), [])
  turns.stopped(ms(1500))
  assert.deepEqual(turns.stopped(ms(1600)), [])
  assert.equal(turns.due, ms(1620))
})

interface Act {
  speechMs: number
  silenceMs: number
}

interface Conditions {
  silenceMs: number
  startsAfterMs: number
  stopsAfterMs: number
  answersAfterMs: number
}

/** A caller, a detector and a recogniser in one clock of 10 ms; a word is said every 100 ms of speech. */
class Simulation {
  readonly turns: TurnTaking
  readonly story: TurnEffect[] = []
  readonly words: { text: string; at: number }[] = []
  readonly #conditions: Conditions
  #events: { at: number; run: () => TurnEffect[] }[] = []
  #question = 0

  constructor(conditions: Conditions) {
    this.#conditions = conditions
    this.turns = new TurnTaking(pace(conditions.silenceMs))
  }

  run(acts: readonly Act[]): void {
    const { silenceMs, answersAfterMs } = this.#conditions
    const written = this.#write(acts)
    // Turns are transcribed one after the other: the last one waits for the answers of all before it.
    const maxTurns = acts.length + Math.ceil(written / ms(30_000))
    const end = written + ms(5000 + 2 * silenceMs + maxTurns * answersAfterMs)
    for (let now = 0; now <= end; now += ms(10)) {
      const due = this.#events.filter(({ at }) => at <= now)
      this.#events = this.#events.filter(({ at }) => at > now)
      for (const { run } of due) this.#apply(run(), now)
      for (let again = this.turns.due; again !== undefined && again <= now; again = this.turns.due) this.#apply(this.turns.reached(), now)
    }
  }

  get left(): object {
    return { events: this.#events.length, open: this.turns.open, due: this.turns.due }
  }

  #write(acts: readonly Act[]): number {
    let place = 0
    for (const { speechMs, silenceMs } of acts) {
      const [from, to] = [place, place + ms(speechMs)]
      this.#events.push({ at: from + ms(this.#conditions.startsAfterMs), run: () => this.turns.started(from) })
      this.#events.push({ at: to + ms(this.#conditions.stopsAfterMs), run: () => this.turns.stopped(to) })
      for (let at = from + ms(50); at < to; at += ms(100)) this.words.push({ text: `w${this.words.length}`, at })
      place = to + ms(silenceMs)
    }
    return place
  }

  #silenceAfter(last = ''): number {
    return (last.endsWith('7') ? 2 : 1) * this.#conditions.silenceMs
  }

  #apply(effects: TurnEffect[], now: number): void {
    for (const effect of effects) {
      this.story.push(effect)
      if (effect.do === 'forget') this.#question += 1
      if (effect.do === 'ask') this.#ask(effect, now)
    }
  }

  #ask({ from, to }: { from: number; to: number }, now: number): void {
    const question = ++this.#question
    const words = this.words.filter(({ at }) => at >= from && at < to).map(({ text }) => text)
    const answer = (): TurnEffect[] =>
      question === this.#question ? this.turns.transcribed(words.join(' '), this.#silenceAfter(words.at(-1))) : []
    this.#events.push({ at: now + ms(this.#conditions.answersAfterMs), run: answer })
  }
}

const tens = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min: min / 10, max: max / 10 }).map((value) => value * 10)

const conditions = fc.record({
  silenceMs: tens(150, 2000),
  startsAfterMs: tens(30, 110),
  stopsAfterMs: tens(30, 110),
  answersAfterMs: tens(10, 3000),
})
const acts = fc.array(
  fc.record({ speechMs: fc.oneof(tens(120, 3000), tens(120, 70_000)), silenceMs: fc.oneof(tens(120, 700), tens(120, 5000)) }),
  { minLength: 1, maxLength: 8 },
)

test('reports every word once, in order, in sequential turns, for random callers', () => {
  fc.assert(
    fc.property(conditions, acts, (rules, caller) => {
      const simulation = new Simulation(rules)
      simulation.run(caller)
      const frame = simulation.story.filter((effect) => effect.do === 'begin' || effect.do === 'end')
      const notified = frame.flatMap((effect) => (effect.do === 'end' && effect.words !== '' ? [effect.words] : []))
      assert.equal(notified.join(' '), simulation.words.map(({ text }) => text).join(' '))
      assert.ok(
        frame.every((effect, index) => effect.do === (index % 2 === 0 ? 'begin' : 'end')),
        'one turn at a time',
      )
      assert.deepEqual(simulation.left, { events: 0, open: false, due: undefined })
    }),
    { numRuns: 300 },
  )
})

test('ends the turn after a long enough pause with any recogniser delay', () => {
  fc.assert(
    fc.property(conditions, acts, (rules, caller) => {
      const simulation = new Simulation(rules)
      simulation.run(caller)
      const turnOf = new Map(
        simulation.story
          .filter((effect) => effect.do === 'end')
          .flatMap(({ words }, turn) => words.split(' ').map((word) => [word, turn] as const)),
      )
      for (const [index, word] of simulation.words.slice(1).entries()) {
        const before = simulation.words[index]
        assert.ok(before)
        const pause = word.at - before.at - ms(200)
        if (pause >= ms(2 * rules.silenceMs)) assert.notEqual(turnOf.get(before.text), turnOf.get(word.text), `${before.text} ${word.text}`)
      }
    }),
    { numRuns: 300 },
  )
})

test('limits every turn to 30 s', () => {
  fc.assert(
    fc.property(conditions, tens(30_000, 200_000), (rules, speechMs) => {
      const simulation = new Simulation(rules)
      simulation.run([{ speechMs, silenceMs: 3000 }])
      for (const effect of simulation.story) if (effect.do === 'ask') assert.ok(effect.to - effect.from <= ms(30_000))
    }),
    { numRuns: 30 },
  )
})
