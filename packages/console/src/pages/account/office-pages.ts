import type { PageEntry } from '../page-entry.ts'

/** What the account owns, owes, allows and remembers. */
export const officePages: readonly PageEntry[] = [
  {
    path: '/balance',
    title: { en: 'Balance', de: 'Guthaben' },
    role: 'user',
    needs: ['CAN_GET_ACCOUNT_BALANCE'],
    menu: { group: 'account', icon: 'wallet' },
    load: () => import('./balance/balance-page.tsx').then(({ BalancePage }) => BalancePage),
  },
  {
    path: '/notifications',
    title: { en: 'Notifications', de: 'Benachrichtigungen' },
    role: 'user',
    needs: ['CAN_GET_NOTIFICATIONS'],
    menu: { group: 'account', icon: 'bell' },
    load: () => import('./notifications/notifications-page.tsx').then(({ NotificationsPage }) => NotificationsPage),
  },
  {
    path: '/access',
    title: { en: 'Access', de: 'Zugänge' },
    role: 'user',
    needs: ['CAN_MANAGE_TOKENS', 'CAN_MANAGE_OAUTH_CLIENTS'],
    menu: { group: 'account', icon: 'key' },
    load: () => import('./access/access-page.tsx').then(({ AccessPage }) => AccessPage),
  },
  {
    path: '/terms',
    title: { en: 'Terms', de: 'Bedingungen' },
    role: 'user',
    needs: ['CAN_ACCEPT_TACS'],
    menu: { group: 'account', icon: 'terms' },
    load: () => import('./terms/terms-page.tsx').then(({ TermsPage }) => TermsPage),
  },
  {
    path: '/audit',
    title: { en: 'Audit log', de: 'Protokoll' },
    role: 'user',
    needs: ['CAN_GET_AUDIT'],
    menu: { group: 'account', icon: 'shield' },
    load: () => import('./audit/audit-page.tsx').then(({ AuditPage }) => AuditPage),
  },
]
