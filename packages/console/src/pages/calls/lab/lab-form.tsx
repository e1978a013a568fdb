import { Button, Group, MultiSelect, NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { maxVariants, untried, variantsOf, type LabForm, type LabRequest, type LabWords, type Range } from './variants.ts'

interface LabFormSectionProps {
  onRun: (variants: LabRequest['variants']) => void
  pending: boolean
  error: unknown
}

/** Which settings are tried with the recording. */
export const LabFormSection = ({ onRun, pending, error }: LabFormSectionProps) => {
  const say = useText(text)
  const [form, setForm] = useState<LabForm>(untried)
  const put = (part: Partial<LabForm>): void => setForm({ ...form, ...part })
  const variants = variantsOf(form, useLabWords())
  const isTooMany = variants.length > maxVariants
  return (
    <Section title={say.settings} description={say.settingsHint}>
      <Stack>
        <RangeFields label={say.silence} min={150} max={2000} range={form.silence} onChange={(silence) => put({ silence })} />
        <MultiSelect
          label={say.turnTakings}
          data={Object.entries(say.turnTaking).map(([value, label]) => ({ value, label }))}
          clearable
          value={form.turnTakings}
          onChange={(turnTakings) => put({ turnTakings })}
        />
        <MultiSelect
          label={say.strategies}
          data={Object.entries(say.strategy).map(([value, label]) => ({ value, label }))}
          clearable
          value={form.strategies}
          onChange={(strategies) => put({ strategies })}
        />
        <RangeFields label={say.allowAfter} min={0} max={10_000} range={form.allowAfter} onChange={(allowAfter) => put({ allowAfter })} />
        <ErrorNotice error={error} />
        {isTooMany && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {say.tooMany(maxVariants)}
          </Text>
        )}
        <Group>
          <Button
            loading={pending}
            disabled={variants.length === 0 || isTooMany}
            leftSection={<Icon name="play" size={16} />}
            onClick={() => onRun(variants)}
          >
            {say.run(variants.length)}
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {pending && say.running}
          </Text>
        </Group>
      </Stack>
    </Section>
  )
}

/** How variants are called, in the language of the page. */
const useLabWords = (): LabWords => {
  const say = useText(text)
  const { number } = useFormat()
  const named = (names: Readonly<Record<string, string>>) => (name: string) => names[name] ?? name
  return {
    silence: (ms) => say.nameSilence(number(ms)),
    allowAfter: (ms) => say.nameAllowAfter(number(ms)),
    turnTaking: named(say.turnTaking),
    strategy: named(say.strategy),
  }
}

interface RangeFieldsProps {
  label: string
  min: number
  max: number
  range: Range
  onChange: (range: Range) => void
}

/** A number, or several from one to another. */
const RangeFields = ({ label, min, max, range, onChange }: RangeFieldsProps) => {
  const say = useText(text)
  const field = (name: keyof Range) => ({
    label: say[name],
    'aria-label': `${label}: ${say[name]}`,
    w: '9rem',
    max,
    step: 50,
    value: range[name],
    onChange: (value: number | string) => onChange({ ...range, [name]: typeof value === 'number' ? value : '' }),
  })
  return (
    <div role="group" aria-label={label}>
      <Text size="sm" fw={550}>
        {label}
      </Text>
      <Group gap="xs">
        <NumberInput min={min} {...field('from')} />
        <NumberInput min={min} {...field('to')} />
        <NumberInput min={10} {...field('step')} />
      </Group>
    </div>
  )
}
