import { AppShell, Burger, Group, ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { type Role, endSession, useSession } from '#api/session.ts'
import { useText, useLanguage } from '#words/use-text.tsx'
import { Brand } from '../look/brand.tsx'
import { LanguageMenu, SchemeMenu } from '../look/choices.tsx'
import { PaletteDoor } from '../palette/palette-door.tsx'
import classes from './layout.module.css'
import { Navigation } from './navigation.tsx'
import { PageTabs } from './page-tabs.tsx'
import { text } from '../text.ts'
import { Unreachable } from './unreachable.tsx'
import { keep, kept } from '#api/kept.ts'
import { useMe } from '#api/use-me.ts'
import { languageFor } from '#words/languages.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { api } from '#api/client.ts'
import { helpAddress } from './help.ts'

/** Navigation at the side if there is room, behind a button on phones. */
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

/** Scrolls a new page to the top. After navigation by menu the focus moves to its content, so that a screen reader announces it. */
const usePageChange = (): void => {
  const [location] = useLocation()
  const shown = useRef(location)
  useEffect(() => {
    if (shown.current === location) return
    shown.current = location
    scrollTo(0, 0)
    const focused = document.activeElement
    if (focused === document.body || focused?.closest('nav')) document.getElementById('content')?.focus({ preventScroll: true })
  }, [location])
}

const noted = 'profileLanguage'

/** Applies the profile's language at every login. A choice made here overrides it until the profile changes. */
const useProfileLanguage = (): void => {
  const me = useMe()
  const { choose } = useLanguage()
  const wanted = me?.localeChosen ? `${me.id} ${me.locale}` : undefined
  useEffect(() => {
    if (me === undefined || wanted === undefined || kept(noted) === wanted) return
    keep(noted, wanted)
    choose(languageFor([me.locale]))
  }, [me, wanted, choose])
}

/** Opens the guide of this page in a new tab. */
const HelpLink = () => {
  const say = useText(text)
  const { language } = useLanguage()
  const [location] = useLocation()
  return (
    <ActionIcon
      component="a"
      href={helpAddress(location, language)}
      target="_blank"
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={say.help}
      title={say.help}
    >
      <Icon name="help" size={20} />
    </ActionIcon>
  )
}

/** Revokes the token at the service, and leads to the logout of its identity provider; if unreachable, at least removes it here. */
const logOut = async (role: Role): Promise<void> => {
  const end = role === 'operator' ? api.deleteOperatorSession().then(() => ({ url: undefined })) : api.endSingleSignOn()
  const { url } = await end.catch(() => ({ url: undefined }))
  endSession(role)
  if (url !== undefined) location.assign(url)
}

const PersonMenu = ({ role }: { role: Role }) => {
  const say = useText(text)
  const name = useName(role)
  const other = useSession(role === 'operator' ? 'user' : 'operator')
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="light" radius="xl" size="lg" aria-label={name}>
          <Icon name={role === 'operator' ? 'shield' : 'user'} size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name}</Menu.Label>
        {(role === 'operator' || other.token !== undefined) && (
          <Menu.Item component={Link} href={role === 'operator' ? '/' : '/operator'} leftSection={<Icon name="switch" size={16} />}>
            {role === 'operator' ? say.toUser : say.toOperator}
          </Menu.Item>
        )}
        {role === 'user' && (
          <Menu.Item component={Link} href="/me" leftSection={<Icon name="user" size={16} />}>
            {say.profile}
          </Menu.Item>
        )}
        <Menu.Item
          component={Link}
          href={role === 'operator' ? '/operator/security' : '/security'}
          leftSection={<Icon name="shield" size={16} />}
        >
          {say.security}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<Icon name="book" size={16} />}>
          {say.documentation}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/api/" target="_blank" leftSection={<Icon name="code" size={16} />}>
          {say.reference}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logOut" size={16} />} onClick={() => void logOut(role)}>
          {say.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const useName = (role: Role): string => {
  const say = useText(text)
  const me = useMe()
  return role === 'operator' ? say.operatorTitle : me ? `${me.firstname} ${me.lastname}` : '…'
}
