import { useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { WaitingRows } from '#parts/page/loaded.tsx'
import type { PageEntry } from '#parts/page/page-entry.ts'

const loaded = new Map<PageEntry, ComponentType>()
const made = new Map<PageEntry, ComponentType>()

/** Fetches the file of a page; what failed is fetched again the next time. */
export const loadPage = async (page: PageEntry): Promise<ComponentType> => {
  const component = await page.load()
  loaded.set(page, component)
  return component
}

/**
 * The component of a page, always the same one, fetched when it is first drawn. Not React's `lazy`: what that has waited for is shown 300 ms later at the
 * soonest, however soon it came, and a page that is there already waits, too.
 */
export const lazyPage = (page: PageEntry): ComponentType => {
  const known = made.get(page)
  if (known) return known
  const component = (): ReactNode => <LoadedPage page={page} />
  made.set(page, component)
  return component
}

const LoadedPage = ({ page }: { page: PageEntry }) => {
  const [{ Page, error }, setState] = useState<{ Page?: ComponentType | undefined; error?: unknown }>({ Page: loaded.get(page) })
  useEffect(() => {
    if (Page) return undefined
    let isGone = false
    loadPage(page).then(
      (component) => isGone || setState({ Page: component }),
      (reason: unknown) => isGone || setState({ error: reason }),
    )
    return () => {
      isGone = true
    }
  }, [page, Page])
  if (error !== undefined) throw error // for the boundary around it, which offers another try
  return Page ? <Page /> : <WaitingRows />
}
