import { lazy, type ComponentType } from 'react'
import type { PageEntry } from '../pages/page-entry.ts'

const made = new Map<PageEntry, ComponentType>()

/** The component of a page, always the same one, fetched when it is first drawn. */
export const lazyPage = (page: PageEntry): ComponentType => {
  const known = made.get(page)
  if (known) return known
  const component = lazy(async () => ({ default: await page.load() }))
  made.set(page, component)
  return component
}
