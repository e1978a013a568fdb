import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'

/** The only accent; Mantine uses every shade. */
const pine: MantineColorsTuple = [
  '#e9f7f3',
  '#d3ece5',
  '#a6d9cb',
  '#76c5b0',
  '#4fb499',
  '#34a88a',
  '#1d9479',
  '#0b7d66',
  '#0b6b58',
  '#07503f',
]

/** Greys with a touch of green, for dark pages. */
const dark: MantineColorsTuple = [
  '#e8ebea',
  '#c3cac8',
  '#a3adaa',
  '#7d8885',
  '#46504d',
  '#2c3533',
  '#212927',
  '#181f1d',
  '#121817',
  '#0d1211',
]

const gray: MantineColorsTuple = [
  '#f8f9f8',
  '#f1f3f2',
  '#e6e9e8',
  '#dbdfde',
  '#c6cccb',
  '#a3abaa',
  '#78827f',
  '#55605d',
  '#36403d',
  '#1b2321',
]

/** Text on a tint of its own colour, readable in both colour schemes, unlike Mantine's computed colours. */
const tints: Readonly<Record<string, { background: string; hover: string; color: string }>> = {
  pine: { background: 'var(--offhook-accent-soft)', hover: 'var(--offhook-accent-hover)', color: 'var(--offhook-accent-text)' },
  red: { background: 'light-dark(#fdeeee, #3a1f1e)', hover: 'light-dark(#fbe0e0, #4a2624)', color: 'light-dark(#a52222, #ffa6a0)' },
  yellow: { background: 'light-dark(#fbf3df, #332a13)', hover: 'light-dark(#f7e9c6, #413518)', color: 'light-dark(#785100, #f0c868)' },
  blue: { background: 'light-dark(#e9f2fb, #182c40)', hover: 'light-dark(#dbe9f8, #1d3850)', color: 'light-dark(#12518c, #8fc6f7)' },
}
const tintNames: Readonly<Record<string, string>> = { orange: 'yellow', cyan: 'blue', teal: 'pine', green: 'pine' }

const variantColors: VariantColorsResolver = (input) => {
  const name = input.color ?? 'pine'
  const tint = tints[tintNames[name] ?? name]
  const border = '1px solid transparent'
  if (tint && input.variant === 'light') return { ...tint, border }
  if (tint && input.variant === 'subtle') return { ...tint, background: 'transparent', hover: tint.background, border }
  return defaultVariantColorsResolver(input)
}

export const theme = createTheme({
  variantColorResolver: variantColors,
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 8 },
  colors: { pine, dark, gray },
  black: '#1b2321',
  autoContrast: true,
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '20px' },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.625rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } } },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: { centered: true, radius: 'lg', overlayProps: { backgroundOpacity: 0.45 } },
      styles: { title: { fontSize: 'var(--mantine-h2-font-size)', fontWeight: 650, lineHeight: 1.35 } },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.45 } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550 } },
    Button: { defaultProps: { fw: 550 } },
    // A coloured title on its own tint is too faint to read.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
  },
})

/** Colours of our own parts, and muted text dark enough to read (WCAG AA in both colour schemes). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--offhook-ground': '#f7f8f7',
    '--offhook-card': '#ffffff',
    '--offhook-line': '#e2e6e4',
    '--offhook-hover': '#f1f4f2',
    '--offhook-accent-text': '#0b6b58',
    '--offhook-accent-soft': '#e3f2ee',
    '--offhook-accent-hover': '#d3eae4',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#5b6663',
    '--mantine-color-placeholder': '#6b7673',
    '--mantine-color-disabled-color': '#5b6663',
    '--mantine-color-error': '#c02b2b',
    '--mantine-color-anchor': '#0b6b58',
  },
  dark: {
    '--offhook-ground': '#0f1514',
    '--offhook-card': '#171e1c',
    '--offhook-line': '#29322f',
    '--offhook-hover': '#1f2725',
    '--offhook-accent-text': '#6fd3bb',
    '--offhook-accent-soft': '#16342d',
    '--offhook-accent-hover': '#1c4238',
    '--mantine-color-body': '#171e1c',
    '--mantine-color-dimmed': '#9faba7',
    '--mantine-color-placeholder': '#8b9693',
    '--mantine-color-disabled-color': '#9faba7',
    '--mantine-color-error': '#ff8b8b',
    '--mantine-color-anchor': '#6fd3bb',
  },
})
