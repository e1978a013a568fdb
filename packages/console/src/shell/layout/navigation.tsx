import { ActionIcon, Box, Group, ScrollArea, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Role } from '#api/session.ts'
import type { Group as MenuGroup, PageEntry } from '#parts/page/page-entry.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { text as partsText } from '#parts/text.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { Brand } from '../look/brand.tsx'
import classes from './navigation.module.css'
import { text } from '../text.ts'
import { useOpenPages } from './use-open-pages.ts'

const groups: readonly MenuGroup[] = ['start', 'assistants', 'phone', 'account', 'operator']

/** The pages that this person may open, in groups. */
export const Navigation = ({ role, onClose }: { role: Role; onClose: () => void }) => {
  const say = useText(text)
  const { close } = useText(partsText)
  const { open } = useOpenPages(role)
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
        {groups.map((group) => {
          const entries = open.filter(({ menu }) => menu?.group === group)
          return entries.length === 0 ? null : (
            <Box key={group} className={classes.group}>
              {group !== 'start' && <Text className={classes.groupName}>{say.groups[group]}</Text>}
              <ul className={classes.list} aria-label={group === 'start' ? undefined : say.groups[group]}>
                {entries.map((page) => (
                  <Entry key={page.path} page={page} onOpen={onClose} />
                ))}
              </ul>
            </Box>
          )
        })}
      </ScrollArea>
    </>
  )
}

const Entry = ({ page: { path, title, menu }, onOpen }: { page: PageEntry; onOpen: () => void }) => {
  const { language } = useLanguage()
  const [location] = useLocation()
  const start = path === '/' || path === '/operator'
  const current = location === path || (!start && location.startsWith(`${path}/`))
  return (
    <li>
      <Link href={path} onClick={onOpen} className={classes.entry} aria-current={current ? 'page' : undefined}>
        {menu && <Icon name={menu.icon} />}
        {title[language]}
      </Link>
    </li>
  )
}
