import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import type { Role } from '#api/session.ts'
import { useLanguage } from '#words/use-text.tsx'
import { menuOf, tabsAt } from '../menu/menu.ts'
import classes from './page-tabs.module.css'
import { useOpenPages } from '../menu/use-open-pages.ts'

/** The pages of one menu entry, as tabs above each of them. */
export const PageTabs = ({ role }: { role: Role }) => {
  const { language } = useLanguage()
  const [location] = useLocation()
  const entry = tabsAt(menuOf(useOpenPages(role).open), location)
  const current = useRef<HTMLAnchorElement>(null)
  // On a phone the row is scrollable; keeps the open tab visible.
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [location])
  if (entry === undefined) return null
  return (
    <nav className={classes.tabs} aria-label={entry.title[language]}>
      <ul>
        {entry.pages.map(({ path, title, tab = title }) => (
          <li key={path}>
            <Link href={path} className={classes.tab} {...(path === location && { 'aria-current': 'page' as const, ref: current })}>
              {tab[language]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
