import { Activity, Suspense, useMemo } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useSession, type Role } from '#api/session.ts'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Forbidden, NotFound } from './no-page.tsx'
import { isLinked, LinkedPages } from './linked-pages.tsx'
import { lazyPage } from './lazy-page.tsx'
import { Layout } from '../layout/layout.tsx'
import { LoginPage } from '../login/login-page.tsx'
import { useOpenPages } from '../menu/use-open-pages.ts'
import { pages } from '#pages/pages.ts'

/**
 * Which page is shown: the login, or one of the table inside the layout. Whose token has come to its end finds everything as they left it,
 * half a form included, after they have logged in again; another user does not.
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
