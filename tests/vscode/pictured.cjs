// What pictures of the documentation show, and where the pictures go.
const os = require('node:os');
const path = require('node:path');
const { setUser, until, user, vscode } = require('./suites/harness.cjs');

/** The pictures that a page of the documentation shows. */
const DOCUMENTED = ['vscode-change-set-dark.png', 'vscode-change-set-list.png'];
const IMAGES = path.join(__dirname, '../../docs/images');
const GREET = `"""How the shop greets its customers."""

from shop.names import full_name


def greet(customer):
    return "Hello " + customer.name


def farewell(customer):
    return "Bye " + customer.name
`;
const NAMES = `"""Names as they are written on parcels."""


def full_name(customer):
    return customer.first + " " + customer.last
`;

/** The place of a picture: the documentation only when PLACET_UPDATE_IMAGES is set. */
const placeOf = (name) => (process.env.PLACET_UPDATE_IMAGES && DOCUMENTED.includes(name) ? IMAGES : os.tmpdir());

/** Takes a picture of the window. */
async function pictured(name, directory = placeOf(name)) {
  const file = path.join(directory, name);
  const start = Date.now();
  user('picture', file);
  await until('the picture is taken', () =>
    vscode.workspace.fs.stat(vscode.Uri.file(file)).then(({ mtime }) => mtime >= start - 1000, () => false),
  );
}

/** Once the window has a theme, until the end of the test. */
async function themed(name, kind) {
  await setUser({ 'workbench.colorTheme': name });
  await until('the window has the theme', () => vscode.window.activeColorTheme.kind === kind);
}

module.exports = { GREET, NAMES, pictured, themed };
