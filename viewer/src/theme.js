// Dark and light. Kinds have the colours of Okabe and Ito, as in every output of Sightline, with the blue that stands out
// on each ground; docs/decisions.md has the measured differences. `tones` are the parts' colours, in the light theme
// those of the pictures (src/tool/picture/shade.h); `first` and `second` are the two parts of a chosen pair.
export const THEMES = {
  light: {
    background: '#f4f5f7', mesh: '#d5d9df', coarse: '#e4e7eb', back: '#8e98a6', ink: '#0d1117', halo: '#ffffff', rim: '#0d1117',
    first: '#5d8fc9', second: '#8cb474',
    tones: ['#ced0d3', '#9eb6cc', '#cebea4', '#a8c4b2', '#c4b0c4', '#b4b4ac', '#94b0be', '#d0c8b4'],
    touching: '#0072b2', crossing: '#d55e00', coplanar: '#f0e442', duplicate: '#cc79a7', dropped: '#e69f00', inside: '#009e73', flaw: '#7a3fc0',
  },
  dark: {
    background: '#15181d', mesh: '#6b7480', coarse: '#4b525c', back: '#39414c', ink: '#ffffff', halo: '#0b0d10', rim: '#0b0d10',
    first: '#4f78a8', second: '#6f9159',
    tones: ['#6b7480', '#566d82', '#7d7160', '#5b7566', '#75647a', '#686a68', '#4f6b78', '#7c7666'],
    touching: '#56b4e9', crossing: '#e8702a', coplanar: '#f0e442', duplicate: '#d890b8', dropped: '#e69f00', inside: '#1fb98c', flaw: '#b58cf2',
  },
};

export class Theme {
  constructor(apply) {
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.chosen = null;  // null: the system's setting
    this.apply = () => {
      document.documentElement.dataset.theme = this.name;
      apply(THEMES[this.name]);
    };
    this.system.addEventListener('change', () => this.apply());
  }
  get name() {
    return this.chosen ?? (this.system.matches ? 'dark' : 'light');
  }
  choose(name) {
    this.chosen = name in THEMES ? name : null;
    this.apply();
  }
  toggle() {
    this.choose(this.name === 'dark' ? 'light' : 'dark');
  }
}
