import { Activity, Suspense, useMemo, lazy, Component, type ReactNode, useEffect, useState, type ComponentType } from 'react'
import { Redirect, Route, Switch, useLocation, Link } from 'wouter'
import { useSession, type Role } from '#api/session.ts'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Layout } from '../layout/layout.tsx'
import { LoginPage } from '../login/login-page.tsx'
import { useOpenPages } from '../menu/use-open-pages.ts'
import { pages } from '#pages/pages.ts'
import { Button, Code, Text } from '@mantine/core'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import { text as partsText } from '#parts/text.ts'
import type { PageEntry } from '#parts/page/page-entry.ts'

const loaded = new Map<PageEntry, ComponentType>()
const made = new Map<PageEntry, ComponentType>()

/** Loads the file of a page; retries after a failure. */
export const loadPage = async (page: PageEntry): Promise<ComponentType> => {
  const component = await page.load()
  loaded.set(page, component)
  return component
}

/**
 * The component of a page, always the same one, loaded at first render. Not React's `lazy`: that shows a component at the earliest 300 ms
 * later, even if it loads sooner or is already loaded.
 */
const lazyPage = (page: PageEntry): ComponentType => {
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
  if (error !== undefined) throw error // for the surrounding boundary, which offers a retry
  return Page ? <Page /> : <WaitingRows />
}

/**
 * The current page: the login, or one of the table inside the layout. After an expired token the same user finds everything as before,
 * including half-filled forms, after the login; another user does not.
 */
export const Routes = () => {
  const [location] = useLocation()
  const role: Role = location === '/operator' || location.startsWith('/operator/') ? 'operator' : 'user'
  const session = useSession(role)
  if (isLinked(location)) return <LinkedPages />
  if (session.token === undefined && !session.ended) return <LoginPage key={role} role={role} ended={false} />
  return (
    <>
      {session.token === undefined && <LoginPage role={role} ended />}
      <Activity key={`${role} ${session.person}`} mode={session.token === undefined ? 'hidden' : 'visible'}>
        <Layout role={role}>
          <ErrorBoundary key={location}>
            <Suspense fallback={<WaitingRows />}>
              <RoutesOf role={role} />
            </Suspense>
          </ErrorBoundary>
        </Layout>
      </Activity>
    </>
  )
}

const RoutesOf = ({ role }: { role: Role }) => {
  const { open, ready } = useOpenPages(role)
  const all = useMemo(() => pages.filter((page) => page.role === role), [role])
  if (!ready) return <WaitingRows />
  const first = open.find(({ menu }) => menu !== undefined)
  const start = role === 'operator' ? '/operator' : '/'
  return (
    <Switch>
      {all.map((page) => (
        <Route key={page.path} path={page.path} component={open.includes(page) ? lazyPage(page) : Forbidden} />
      ))}
      <Route path={start}>{first && first.path !== start ? <Redirect to={first.path} replace /> : <NotFound role={role} />}</Route>
      <Route>
        <NotFound role={role} />
      </Route>
    </Switch>
  )
}

const InvitationPage = lazy(() => import('../login/invitation-page.tsx').then((part) => ({ default: part.InvitationPage })))
const EmailPage = lazy(() => import('../login/email-page.tsx').then((part) => ({ default: part.EmailPage })))

/** Targets of mailed links: open to everybody with the link, logged in or not. */
const isLinked = (location: string): boolean => /^\/(?:invitation|email)\/[\w-]+$/.test(location)

const LinkedPages = () => (
  <Suspense fallback={<WaitingRows />}>
    <Switch>
      <Route path="/invitation/:nonce" component={InvitationPage} />
      <Route path="/email/:nonce" component={EmailPage} />
    </Switch>
  </Suspense>
)

const NotFound = ({ role }: { role: Role }) => {
  const say = useText(text)
  const start = (
    <Button component={Link} href={role === 'operator' ? '/operator' : '/'}>
      {say.toStart}
    </Button>
  )
  return (
    <Page title={say.notFoundTitle} width="narrow">
      <EmptyState icon="search" title={say.notFoundTitle} action={start}>
        {say.notFoundBody}
      </EmptyState>
    </Page>
  )
}

const Forbidden = () => {
  const say = useText(text)
  return (
    <Page title={say.forbiddenTitle} width="narrow">
      <EmptyState icon="lock" title={say.forbiddenTitle}>
        {say.forbiddenBody}
      </EmptyState>
    </Page>
  )
}

/** Isolates a failing page. React supports this only with a class. */
class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error | undefined }> {
  override state: { error?: Error | undefined } = {}

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return isNotLoaded(error) ? <NotLoaded onRetry={() => this.setState({ error: undefined })} /> : <Broken error={error} />
  }
}

/** The file of a page did not load. Browsers identify that only by the message. */
const isNotLoaded = (error: Error): boolean => /import|preload/i.test(error.message)

const NotLoaded = ({ onRetry }: { onRetry: () => void }) => {
  const say = useText(text)
  const { retry } = useText(partsText)
  return (
    <EmptyState icon="alert" title={say.notLoadedTitle} action={<Button onClick={onRetry}>{retry}</Button>}>
      {say.notLoadedBody}
    </EmptyState>
  )
}

const Broken = ({ error }: { error: Error }) => {
  const say = useText(text)
  return (
    <EmptyState icon="alert" title={say.brokenTitle} action={<Button onClick={() => location.reload()}>{say.reload}</Button>}>
      <Text size="sm">{say.brokenBody}</Text>
      <Code block mt="sm">
        {error.message}
      </Code>
    </EmptyState>
  )
}
