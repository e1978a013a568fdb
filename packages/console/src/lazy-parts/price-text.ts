import { words } from '../words/languages.ts'

export const text = words({
  en: {
    perMinute: (money: string) => `${money} per minute`,
    connectFee: (money: string) => `${money} connection fee`,
    perMessage: (money: string) => `${money} per SMS part`,
    perPage: (money: string) => `${money} per page`,
    interval: (first: number, next: number) => (first === next ? `charged every ${first} s` : `first ${first} s, then every ${next} s`),
    kinds: {
      FREE: 'Free of charge',
      ON_NET: 'Free of charge: internal call',
      EMERGENCY: 'Emergency call: always free of charge',
      CLOSED: 'Blocked for this account to prevent fraud',
      BLOCKED: 'Cannot be called from this account',
    },
  },
  de: {
    perMinute: (money: string) => `${money} pro Minute`,
    connectFee: (money: string) => `${money} Verbindungsgebühr`,
    perMessage: (money: string) => `${money} pro SMS-Teil`,
    perPage: (money: string) => `${money} pro Seite`,
    interval: (first: number, next: number) => (first === next ? `Abrechnung alle ${first} s` : `erste ${first} s, danach alle ${next} s`),
    kinds: {
      FREE: 'Kostenlos',
      ON_NET: 'Kostenlos: interner Anruf',
      EMERGENCY: 'Notruf: immer kostenlos',
      CLOSED: 'Für dieses Konto gesperrt, als Schutz vor Betrug',
      BLOCKED: 'Von diesem Konto aus nicht erreichbar',
    },
  },
})
