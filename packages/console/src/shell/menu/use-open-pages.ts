import type { Role } from '#api/session.ts'
import { useRead } from '#api/use-service.ts'
import type { PageEntry } from '#parts/page/page-entry.ts'
import { pages } from '#pages/pages.ts'

/** The pages that this person may open. */
export const useOpenPages = (role: Role): { open: readonly PageEntry[]; ready: boolean } => {
  const { data, isError } = useRead('listRestrictions', {}, { when: role === 'user' })
  const allowed = new Set(data?.items.flatMap(({ restriction, value }) => (value ? [restriction] : [])))
  const open = pages.filter((page) => page.role === role && (page.needs === undefined || page.needs.some((needed) => allowed.has(needed))))
  return { open, ready: role === 'operator' || data !== undefined || isError }
}
