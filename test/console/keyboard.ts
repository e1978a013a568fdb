import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** Subset of the browser's element type: tests are checked with Node's types. */
interface Element {
  ownerDocument: { activeElement: unknown }
}

export const isFocused = (wanted: Locator): Promise<boolean> =>
  wanted.evaluate((element: Element) => element === element.ownerDocument.activeElement)

/** Moves with the Tab key alone. */
export const reach = async (page: Page, wanted: Locator): Promise<void> => {
  await wanted.waitFor()
  for (let steps = 0; steps < 120; steps++) {
    if (await isFocused(wanted)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the keyboard does not reach ${wanted.toString()}`)
}

export const pressOn = async (page: Page, wanted: Locator): Promise<void> => {
  await reach(page, wanted)
  await page.keyboard.press('Enter')
}
