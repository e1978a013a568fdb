import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Role } from '#api/session.ts'
import { useText } from '#words/use-text.tsx'
import { Brand } from '../look/brand.tsx'
import { LanguageMenu, SchemeMenu } from '../look/choices.tsx'
import { PaletteDoor } from '../palette/palette-door.tsx'
import { HelpLink } from './help-link.tsx'
import classes from './layout.module.css'
import { Navigation } from './navigation.tsx'
import { PageTabs } from './page-tabs.tsx'
import { PersonMenu } from './person-menu.tsx'
import { text } from '../text.ts'
import { Unreachable } from './unreachable.tsx'
import { useProfileLanguage } from './use-profile-language.ts'
import { usePageChange } from './use-page-change.ts'

/** Navigation at the side where there is room, behind a button on phones. */
export const Layout = ({ role, children }: { role: Role; children: ReactNode }) => {
  const say = useText(text)
  const [opened, { toggle, close }] = useDisclosure(false)
  usePageChange()
  useProfileLanguage()
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a href="#content" className={classes.skip}>
        {say.toContent}
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px={{ base: 'md', md: 'xl' }} justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={say.menu} aria-expanded={opened} />
            <Link href={role === 'operator' ? '/operator' : '/'} className={classes.brandOnPhones}>
              <Brand />
            </Link>
          </Group>
          <Group gap={4} wrap="nowrap">
            <PaletteDoor role={role} />
            <HelpLink />
            <LanguageMenu />
            <SchemeMenu />
            <PersonMenu role={role} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} data-opened={opened} aria-label={say.navigation}>
        <Navigation role={role} onClose={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <PageTabs role={role} />
        {children}
      </AppShell.Main>
      <Unreachable />
    </AppShell>
  )
}
