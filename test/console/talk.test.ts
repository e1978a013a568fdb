import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { toneMessages, toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { needs } from '#test/peers/debian.ts'
import { until } from '#test/machine/peer-process.ts'
import { parseWav, writeSamples, type Wav } from '#test/sound/wav.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { seriousViolations } from './accessibility.ts'
import { heardRate, listenToPage, refuseMicrophone, playedAudio } from './page-sound.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, timeoutMs, type Visitor } from './visitor.ts'

/** Long enough for the interruption to fall into the middle of its answer, which repeats it, even if that starts late. */
const question = 'Tell me the tale of the sea and the wind and the stars as one long story'
const interruption = 'Stop, please'

/** The second sentence comes during the answer to the first. The sound loops: sentences that a busy machine missed come again. */
const microphone = async (t: TestContext): Promise<string> => {
  const file = join(await temporaryFolder(t), 'microphone.wav')
  const silence = (seconds: number): Int16Array => new Int16Array(seconds * heardRate)
  const parts = [silence(2.5), toneSound(question), silence(1.8), toneSound(interruption), silence(2.5)]
  await writeSamples(file, Int16Array.from(parts.flatMap((part) => [...part])), heardRate)
  return file
}

const conversation = (page: Page) => page.getByRole('log')

const said = async (page: Page, words: string): Promise<void> => {
  const found = conversation(page).getByText(words, { exact: true }).first()
  await found.waitFor().catch(async () => assert.fail(`${words} is not in ${await conversation(page).innerText()}`))
}

const recorded = async ({ api, notes: { flowId: aiFlowId } }: Service): Promise<void> => {
  const { name, webhookUrl = '' } = await api.getFlow({ aiFlowId })
  await api.changeFlow({ aiFlowId }, { name, webhookUrl, recording: true })
}

const startTalking = async (visitor: Visitor, button: string): Promise<void> => {
  await visitor.logIn()
  await visitor.page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Assistants' }).click()
  await visitor.page.getByRole('navigation').getByRole('link', { name: 'Talk' }).click()
  await visitor.page.getByRole('button', { name: button, exact: true }).click()
  await visitor.page.getByText('In a call').waitFor()
}

/** Waits until the page has played these words, in completed or in interrupted clauses. */
const isPlayed = async (page: Page, words: RegExp, { complete = true, ms = timeoutMs } = {}): Promise<void> => {
  let played: string
  const look = async (): Promise<boolean> => {
    const clauses = toneMessages(await playedAudio(page)).filter((clause) => clause.complete === complete)
    played = clauses.map(({ text }) => text).join(' ')
    return words.test(played)
  }
  await until('the words', look, ms).catch((error: unknown) => {
    throw new Error(`${words.source} is not in “${played}”`, { cause: error })
  })
}

const types = async (page: Page, words: string): Promise<void> => {
  await page.getByLabel('Type a message').fill(words)
  await page.keyboard.press('Enter')
}

test('calls from the browser', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const spoken = await microphone(t)
  const [service, browser] = await Promise.all([startService(t), openBrowser(t, { microphone: spoken })])
  await recorded(service)
  const openFor = async (scope: TestContext): Promise<Visitor> => {
    const visitor = await openVisitor(browser, service)
    scope.after(() => visitor.page.context().close())
    return visitor
  }

  await t.test('lets a new user speak, hear and see the answer, interrupt it, hang up, find the call and play it', async (t) => {
    const visitor = await openFor(t)
    const { page } = visitor
    await listenToPage(page)
    await startTalking(visitor, 'Call')
    assert.match(JSON.stringify(await page.evaluate('globalThis.wantedMicrophone')), /"echoCancellation":true/)
    await said(page, question)
    // Unspoken text is marked.
    await conversation(page).locator('del', { hasText: 'story' }).first().waitFor()
    await said(page, interruption)
    await said(page, `You said: ${interruption}`)
    await page
      .getByText(/^interrupted after/)
      .first()
      .waitFor()
    await isPlayed(page, /You said: Stop, please/)
    await isPlayed(page, /You said: Tell/, { complete: false })
    await looksAtTheStepsOf(page)
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.getByText('The call is over').waitFor()
    await page.getByText('The caller hung up.').first().waitFor()
    await playsIt(service, page)
    assert.deepEqual(visitor.troubles(), [])
  })

  await t.test('reports a missing microphone, accepts typing instead, and plays the answer', async (t) => {
    const visitor = await openFor(t)
    const { page } = visitor
    await listenToPage(page)
    await refuseMicrophone(page, 'NotAllowedError')
    await visitor.logIn()
    await visitor.open(`/talk/${service.notes.flowId}`)
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('The microphone is blocked').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('button', { name: 'Continue without microphone' }).click()
    await page.getByText('In a call').waitFor()
    const greeted = async (): Promise<boolean> => {
      await types(page, 'Good morning')
      const played = isPlayed(page, /You said: Good morning/, { ms: timeoutMs / 4 })
      return played.then(
        () => true,
        () => false,
      )
    }
    await until('an answer without a gap, which a busy browser leaves', greeted, timeoutMs)
    await said(page, 'You said: Good morning')
    await conversation(page).getByText('typed').first().waitFor()
    await page.getByRole('link', { name: 'Contacts' }).click()
    const question = page.getByRole('dialog', { name: 'End the call?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'hidden' })
    await types(page, 'Goodbye')
    await page.getByText('The call is over').waitFor()
    await page.getByText('The assistant ended the call.').first().waitFor()
    assert.deepEqual(visitor.troubles(), [])
  })

  await t.test('runs the call in text without sound on an insecure page', async (t) => {
    const visitor = await openFor(t)
    const { page } = visitor
    await page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })")
    await visitor.logIn()
    await visitor.open(`/talk?flow=${service.notes.flowId}`)
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('No microphone on this page').waitFor()
    await page.getByRole('button', { name: 'Continue without microphone' }).click()
    await page.getByText('There is no sound on this page').waitFor()
    await page.getByLabel('Type a message').fill('Good evening')
    await page.getByRole('button', { name: 'Send' }).click()
    await said(page, 'You said: Good evening')
    assert.deepEqual(visitor.troubles(), [])
  })

  await t.test('calls, types and hangs up by keyboard alone; shows why a call cannot start', async (t) => {
    const visitor = await openFor(t)
    const { page } = visitor
    await visitor.logIn()
    await visitor.open('/talk')
    await page.getByRole('button', { name: 'Call', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('In a call').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('The call is over').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('In a call').waitFor()
    await page.keyboard.type('Good night')
    await page.keyboard.press('Enter')
    await said(page, 'You said: Good night')
    await page.getByRole('button', { name: 'Hang up' }).click()
    assert.deepEqual(visitor.troubles(), [])
    await page.routeWebSocket(/talks/, (socket) => socket.close())
    await page.getByRole('button', { name: 'Call again' }).click()
    await page.getByText(/^The service did not answer the call/).waitFor()
  })

  await t.test('sends keys by mouse and keyboard, but not while the user types', async (t) => {
    const visitor = await openFor(t)
    const { page } = visitor
    await startTalking(visitor, 'Type instead of speaking')
    await page.getByRole('button', { name: 'Show keypad' }).click()
    const keypad = page.getByRole('group', { name: 'Keypad' })
    await keypad.getByRole('button', { name: '4' }).click()
    await keypad.getByRole('button', { name: '#' }).click()
    await page.keyboard.press('2')
    await page.getByLabel('Type a message').fill('')
    await page.keyboard.press('9')
    await until('the keys', async () => ((await conversation(page).locator('kbd').allInnerTexts()).join('') === '4#2' ? true : undefined))
    assert.equal(await page.getByLabel('Type a message').inputValue(), '9')
    await visitor.open('/calls')
    await until('the call to be over when its page is left', async () =>
      (await service.api.listCalls()).data.length === 0 ? true : undefined,
    )
    assert.deepEqual(visitor.troubles(), [])
  })
})

/** Checks events, the bytes of a request, and the latency breakdown. */
const looksAtTheStepsOf = async (page: Page): Promise<void> => {
  await page.getByRole('tab', { name: 'Events' }).click()
  await page
    .getByRole('option', { name: /Request.*200 delivered/ })
    .last()
    .click()
  const details = page.getByRole('region', { name: 'Details' })
  await details
    .getByText(/^Headers/)
    .first()
    .click()
  await details.getByText(/webhook-signature: v1,/).waitFor()
  assert.match(await details.innerText(), /"type": "user_speak"/)
  await page.getByRole('tab', { name: 'Latency' }).click()
  const row = page.getByRole('row', { name: /Stop, please/ }).first()
  await row.waitFor()
  assert.match(await row.innerText(), /\d+ ms\s*$/)
  await page.getByRole('tab', { name: 'Conversation' }).click()
}

/** Finds the call in the history and plays its sound: each side in its channel. */
const playsIt = async ({ api }: Service, page: Page): Promise<void> => {
  await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click()
  await page.getByRole('table', { name: 'History' }).getByRole('link').first().click()
  await page.getByText('The caller hung up.').first().waitFor()
  await said(page, question)
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await page.getByText(/^0:(0[1-9]|[1-5]\d) \/ /).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  const [entry] = (await api.listOwnHistory()).items
  const recording = parseWav(Buffer.from(await api.getRecording({ recordingId: entry?.recordings?.[0]?.id ?? '' })))
  assert.match(wordsIn(recording, 0), /You said: Stop, please/, 'the assistant is left')
  assert.match(wordsIn(recording, 1), /one long story/, 'the caller is right')
}

const wordsIn = ({ channels, rate }: Wav, side: number): string => {
  const sound = Int16Array.from(channels[side] ?? [], (sample) => sample * 32_767)
  return toneMessages(resampleSound(sound, rate, heardRate))
    .map(({ text }) => text)
    .join(' ')
}
