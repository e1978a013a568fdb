import { Select, type SelectProps } from '@mantine/core'
import { languageNames } from '#words/languages.ts'

const locales = [
  { value: 'de_DE', label: languageNames.de },
  { value: 'en_US', label: languageNames.en },
]

/** Languages of mails and the console. */
export const LanguageSelect = (props: Omit<SelectProps, 'data'>) => (
  <Select data={locales} allowDeselect={false} inputWrapperOrder={['label', 'input', 'description', 'error']} {...props} />
)

const zones = Intl.supportedValuesOf('timeZone')
const concurrentShown = 60

export const TimezoneSelect = ({ value, ...props }: Omit<SelectProps, 'data'>) => {
  const own = typeof value === 'string' && !zones.includes(value) ? [value] : []
  return <Select data={[...own, ...zones]} value={value ?? null} searchable limit={concurrentShown} allowDeselect={false} {...props} />
}
