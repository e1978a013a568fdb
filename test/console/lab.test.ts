import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LabReport } from '@offhook/contract/v2/lab.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { finishedTalk } from './examples.ts'
import { startService } from './service.ts'
import { assertFits, openBrowser, openVisitor } from './visitor.ts'

/** Two utterances of a caller who pauses; a short silence splits them into three. */
const found = (waitMs: number, ...voices: [startMs: number, endMs: number][]) => ({
  turns: voices.map(([startMs, endMs]) => ({ startMs, endMs, decidedMs: endMs + waitMs, outcome: 'told' as const, text: 'Good morning' })),
  interruptions: [{ atMs: 4000, heardMs: 800, text: 'mhm', false: true as const }],
  told: voices.length,
  falseInterruptions: 1,
  missed: 0,
  meanWaitMs: waitMs,
  settings: {},
})

const report: LabReport = {
  seconds: 12,
  agreement: { turns: 2, same: 2 },
  live: found(700, [1000, 3000], [5000, 8000]),
  variants: [
    { ...found(300, [1000, 1800], [2200, 3000], [5000, 8000]), name: '300 ms', splits: 1, merged: 0, wonMs: 400 },
    { ...found(900, [1000, 3000], [5000, 8000]), name: '900 ms', splits: 0, merged: 0, wonMs: -200 },
  ],
}

/** Other tests cover real sound; this one covers the request and the display. */
test('tries other settings with a call, and shows them next to it', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const callId = await finishedTalk(service)
  for (const look of [{}, { language: 'en', scheme: 'dark', viewport: { width: 360, height: 740 } }] as const) {
    const { page, logIn, open, troubles } = await openVisitor(browser, service, look)
    const asked: unknown[] = []
    await page.route(/\/lab$/, (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      asked.push(route.request().postDataJSON())
      return route.fulfill({ json: report })
    })
    await logIn()
    await open(`/calls/${callId}/lab`)
    await page.getByRole('textbox', { name: 'Silence that ends a turn (ms): to' }).fill('900')
    await page.getByRole('textbox', { name: 'Silence that ends a turn (ms): in steps of' }).fill('600')
    await page.getByRole('button', { name: 'Try 2 variants' }).click()
    await page.getByText('With the settings of the call, 2 of 2 turns end where they ended then').waitFor()
    assert.deepEqual(asked, [
      {
        variants: [
          { name: '300 ms of silence', settings: { vad: { end_of_turn_silence_ms: 300 } } },
          { name: '900 ms of silence', settings: { vad: { end_of_turn_silence_ms: 900 } } },
        ],
      },
    ])
    const figures = await page.getByRole('table', { name: 'Result' }).innerText()
    assert.match(figures, /In the call\s[^]*\b700 ms[^]*300 ms\s[^]*\b0\.4 s[^]*900 ms\s[^]*-0\.2 s/)
    await page.getByText('300 ms: turn by turn').click()
    await page.getByText('2.2–3 s, ended at 3.3 s: Good morning').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await assertFits(page, 'the lab')
    assert.deepEqual(troubles(), [])
  }
})
