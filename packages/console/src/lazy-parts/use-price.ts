import { useLanguage } from '../words/use-text.tsx'

/** What tokens cost: often less than a thousandth of the currency, so that two digits that say something are shown. */
export const usePrice = (): ((cost: { amount: number; currency: string } | undefined) => string | undefined) => {
  const { language } = useLanguage()
  const locale = language === 'de' ? 'de-DE' : 'en-GB'
  return (cost) =>
    cost &&
    new Intl.NumberFormat(locale, {
      ...(cost.currency !== '' && { style: 'currency', currency: cost.currency }),
      minimumFractionDigits: 2,
      maximumFractionDigits: 6,
      maximumSignificantDigits: 2,
      roundingPriority: 'lessPrecision',
    }).format(cost.amount)
}
