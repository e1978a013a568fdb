import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Success criteria of WCAG 2.2, A and AA. */
const criteria: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface AxeOptions {
  /** Selectors to exclude. */
  exclude?: readonly string[]
  /** Rules to check exclusively. */
  rules?: readonly string[]
}

/** Violations that axe rates as serious or worse. */
export const seriousViolations = async (page: Page, { exclude = [], rules = criteria }: AxeOptions = {}): Promise<string[]> => {
  // An expression is exempt from the page's content security policy.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe)
  // Without preload: only rules outside this set need the style sheets.
  const options = { runOnly: rules, resultTypes: ['violations'], preload: false }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`))
}

/** Roles that a screen reader announces by name. */
const named = new Set(
  'alertdialog button checkbox combobox dialog img link listbox menuitem meter navigation progressbar radio searchbox slider spinbutton switch tab table textbox'.split(
    ' ',
  ),
)

/** Checks that axe lacks: names as the browser exposes them, duplicate ids, skipped heading levels. */
export const unreadable = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const unnamed = nodes.filter(({ ignored, role, name }) => !ignored && named.has(String(role?.value)) && !name?.value)
  const without = await Promise.all(
    unnamed.map(async ({ role, backendDOMNodeId = 0 }) => {
      const { outerHTML } = await session.send('DOM.getOuterHTML', { backendNodeId: backendDOMNodeId })
      return `a ${String(role?.value)} without a name: ${outerHTML.slice(0, 300)}`
    }),
  )
  await session.detach()
  return [...without, ...(await page.evaluate<string[]>(outOfOrder))]
}

const outOfOrder = `(() => {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => 'an id that is given twice: ' + id)
  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((one) => one.checkVisibility())
  const level = (heading) => heading === undefined ? 0 : Number(heading.tagName[1])
  const jumps = headings.filter((one, index) => level(one) > level(headings[index - 1]) + 1)
  return [...twice, ...jumps.map(({ tagName, textContent }) => 'a heading that leaves out a level: ' + tagName + ' ' + textContent)]
})()`
