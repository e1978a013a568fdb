import { lazy, type ComponentType } from 'react'
import type { PageEntry } from '#parts/page/page-entry.ts'

const made = new Map<PageEntry, ComponentType>()
const failed = new Set<PageEntry>()

/** The component of a page, always the same one, fetched when it is first drawn. */
export const lazyPage = (page: PageEntry): ComponentType => {
  const known = made.get(page)
  if (known) return known
  const component = lazy(async () => {
    try {
      return { default: await page.load() }
    } catch (error) {
      failed.add(page)
      throw error
    }
  })
  made.set(page, component)
  return component
}

/** Pages that could not be fetched are fetched again when they are drawn the next time. */
export const forgetFailedPages = (): void => {
  for (const page of failed) made.delete(page)
  failed.clear()
}
