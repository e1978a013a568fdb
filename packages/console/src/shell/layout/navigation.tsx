import { ActionIcon, Group, ScrollArea } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Role } from '#api/session.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { text as partsText } from '#parts/text.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { Brand } from '../look/brand.tsx'
import { isCurrent, menuOf, type OpenEntry } from '../menu/menu.ts'
import classes from './navigation.module.css'
import { text } from '../text.ts'
import { useOpenPages } from '../menu/use-open-pages.ts'
import { useMay } from '#api/use-may.ts'
import { useRead, type InputOf } from '#api/use-service.ts'
import type { MenuName } from '#parts/page/page-entry.ts'

/** The menu entries with a page for this person. */
export const Navigation = ({ role, onClose }: { role: Role; onClose: () => void }) => {
  const { close } = useText(partsText)
  const entries = menuOf(useOpenPages(role).open)
  const unread = useUnread(role === 'user')
  const list = (wanted: readonly OpenEntry[]) => (
    <ul className={classes.list}>
      {wanted.map((entry) => (
        <Entry key={entry.name} entry={entry} unread={unread[entry.name] ?? 0} onOpen={onClose} />
      ))}
    </ul>
  )
  return (
    <>
      <Group justify="space-between" className={classes.top}>
        <Link href={role === 'operator' ? '/operator' : '/'} className={classes.brand}>
          <Brand />
        </Link>
        <ActionIcon hiddenFrom="md" variant="subtle" color="gray" aria-label={close} onClick={onClose}>
          <Icon name="x" />
        </ActionIcon>
      </Group>
      <ScrollArea className={classes.scroll} type="hover" scrollbarSize={6}>
        {list(entries.filter(({ last }) => !last))}
      </ScrollArea>
      <div className={classes.bottom}>{list(entries.filter(({ last }) => last))}</div>
    </>
  )
}

const Entry = ({ entry, unread, onOpen }: { entry: OpenEntry; unread: number; onOpen: () => void }) => {
  const say = useText(text)
  const { language } = useLanguage()
  const [location] = useLocation()
  return (
    <li>
      <Link
        href={entry.pages[0]?.path ?? '/'}
        onClick={onOpen}
        className={classes.entry}
        aria-current={isCurrent(entry, location) ? 'page' : undefined}
      >
        <Icon name={entry.icon} />
        {entry.title[language]}
        {unread > 0 && (
          <span className={classes.unread}>
            <span aria-hidden>{unread > 99 ? '99+' : unread}</span>
            <span className="visually-hidden">{say.unread(unread)}</span>
          </span>
        )}
      </Link>
    </li>
  )
}

/** Only the count is shown, no entries. */
const unread: InputOf<'listOwnHistory'>[0] = { read: false, directions: ['INCOMING', 'MISSED_INCOMING'], limit: 1 }

/** Number of unread messages, by menu entry. */
const useUnread = (isUser: boolean): Partial<Record<MenuName, number>> => {
  const may = useMay()
  const look = { every: 15_000, when: isUser && may('CAN_GET_HISTORY') }
  const voicemails = useRead('listOwnHistory', { ...unread, types: ['VOICEMAIL'] }, look)
  const messages = useRead('listOwnHistory', { ...unread, types: ['SMS', 'FAX'] }, look)
  return { calls: voicemails.data?.totalCount ?? 0, messages: messages.data?.totalCount ?? 0 }
}
