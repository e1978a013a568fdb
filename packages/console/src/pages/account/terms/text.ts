import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Terms',
    lead: 'Whether your account accepts the terms and conditions of whoever runs this service.',
    accepted: 'Accepted',
    notAccepted: 'Not accepted',
    ask: 'Your operator gives you the terms themselves; here you say that your account agrees to them.',
    accept: 'Accept the terms',
    revoke: 'Revoke',
    revokeTitle: 'Revoke the acceptance?',
    revokeBody: 'Your account no longer agrees to the terms. Your operator may then end the contract.',
    done: 'Saved.',
  },
  de: {
    title: 'Bedingungen',
    lead: 'Ob dein Konto die Geschäftsbedingungen des Betreibers dieses Dienstes annimmt.',
    accepted: 'Angenommen',
    notAccepted: 'Nicht angenommen',
    ask: 'Die Bedingungen selbst bekommst du von deinem Betreiber; hier erklärst du, dass dein Konto ihnen zustimmt.',
    accept: 'Bedingungen annehmen',
    revoke: 'Widerrufen',
    revokeTitle: 'Zustimmung widerrufen?',
    revokeBody: 'Dein Konto stimmt den Bedingungen dann nicht mehr zu. Der Betreiber kann den Vertrag beenden.',
    done: 'Gespeichert.',
  },
})
