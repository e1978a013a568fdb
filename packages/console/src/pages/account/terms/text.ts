import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Terms',
    lead: 'Whether your account accepts the operator’s terms and conditions.',
    accepted: 'Accepted',
    notAccepted: 'Not accepted',
    ask: 'You get the terms from your operator. Here you accept them for your account.',
    accept: 'Accept terms',
    revoke: 'Revoke',
    revokeTitle: 'Revoke acceptance?',
    revokeBody: 'Your account then no longer accepts the terms. Your operator may end the contract.',
    done: 'Saved.',
  },
  de: {
    title: 'Bedingungen',
    lead: 'Ob dein Konto den Geschäftsbedingungen des Betreibers zugestimmt hat.',
    accepted: 'Zugestimmt',
    notAccepted: 'Nicht zugestimmt',
    ask: 'Die Bedingungen bekommst du von deinem Betreiber. Hier stimmst du ihnen für dein Konto zu.',
    accept: 'Bedingungen zustimmen',
    revoke: 'Widerrufen',
    revokeTitle: 'Zustimmung widerrufen?',
    revokeBody: 'Dein Konto stimmt den Bedingungen dann nicht mehr zu. Dein Betreiber kann den Vertrag beenden.',
    done: 'Gespeichert.',
  },
})
