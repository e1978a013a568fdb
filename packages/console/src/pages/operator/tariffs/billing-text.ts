import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Seller and payments',
    hint: 'If you enter the seller’s name, address, tax number and tax rate, monthly statements become invoices.',
    change: 'Edit billing details',
    nothing: 'Not entered: customers get statements instead of invoices',
    sellerName: 'Seller',
    sellerAddress: 'Address',
    taxId: 'Tax number',
    taxPercent: 'Tax rate (%)',
    taxHint: 'Included in all tariff prices.',
    topUpText: 'How to top up',
    topUpUrl: 'Top-up page',
    topUpHint: 'Customers see this next to their balance.',
  },
  de: {
    title: 'Verkäufer und Zahlungen',
    hint: 'Mit Name, Anschrift, Steuernummer und Steuersatz des Verkäufers werden monatliche Abrechnungen zu Rechnungen.',
    change: 'Rechnungsangaben bearbeiten',
    nothing: 'Nicht angegeben: Kunden bekommen Abrechnungen statt Rechnungen',
    sellerName: 'Verkäufer',
    sellerAddress: 'Anschrift',
    taxId: 'Steuernummer',
    taxPercent: 'Steuersatz (%)',
    taxHint: 'In allen Preisen der Tarife enthalten.',
    topUpText: 'So wird aufgeladen',
    topUpUrl: 'Seite zum Aufladen',
    topUpHint: 'Kunden sehen das neben ihrem Guthaben.',
  },
})
